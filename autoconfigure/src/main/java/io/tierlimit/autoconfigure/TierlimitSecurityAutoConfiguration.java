package io.tierlimit.autoconfigure;

import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.key.AuthoritiesResolver;
import io.tierlimit.security.AuthenticationAuthoritiesResolver;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.security.core.Authentication;

/**
 * Callers as Spring Security knows them.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class)
@ConditionalOnClass(Authentication.class)
@ConditionalOnBean(RateLimitEvaluator.class)
public final class TierlimitSecurityAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(AuthoritiesResolver.class)
	AuthenticationAuthoritiesResolver rateLimitAuthoritiesResolver() {
		return new AuthenticationAuthoritiesResolver();
	}

}
