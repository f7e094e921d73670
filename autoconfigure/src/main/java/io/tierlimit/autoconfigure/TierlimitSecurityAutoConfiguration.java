package io.tierlimit.autoconfigure;

import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.key.IdentityResolver;
import io.tierlimit.security.AuthenticationAuthoritiesResolver;
import io.tierlimit.security.AuthenticationCallerResolver;
import io.tierlimit.security.AuthenticationEventListener;
import io.tierlimit.security.AuthenticationExceptionRecorder;
import io.tierlimit.security.TokenClaimResolver;
import io.tierlimit.spi.AuthoritiesResolver;
import io.tierlimit.spi.CallerResolver;
import io.tierlimit.spi.ClaimResolver;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.Authentication;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Configures the callers that Spring Security authenticates.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@ConditionalOnClass(Authentication.class)
public final class TierlimitSecurityAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(AuthoritiesResolver.class)
	AuthenticationAuthoritiesResolver rateLimitAuthoritiesResolver() {
		return new AuthenticationAuthoritiesResolver();
	}

	@Bean
	@ConditionalOnMissingBean(ClaimResolver.class)
	@ConditionalOnClass(name = "org.springframework.security.oauth2.core.ClaimAccessor")
	ClaimResolver rateLimitClaimResolver() {
		return new TokenClaimResolver();
	}

	@Bean
	@ConditionalOnMissingBean(CallerResolver.class)
	AuthenticationCallerResolver rateLimitCallerResolver(IdentityResolver identities) {
		return new AuthenticationCallerResolver(identities);
	}

	@Bean
	AuthenticationEventListener rateLimitAuthenticationEvents(ObjectProvider<CurrentRequest> requests,
			ObjectProvider<IdentityResolver> identities) {
		return new AuthenticationEventListener(SingletonSupplier.ofNullable(requests::getIfUnique),
				identities::getObject);
	}

	/**
	 * Configures the recording of exceptions that handlers of Spring MVC throw.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(HandlerExceptionResolver.class)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	static class HandlerConfiguration {

		@Bean
		AuthenticationExceptionRecorder rateLimitAuthenticationExceptionRecorder(
				ObjectProvider<CurrentRequest> requests) {
			return new AuthenticationExceptionRecorder(SingletonSupplier.ofNullable(requests::getIfUnique));
		}

	}

}
