package io.tierlimit.autoconfigure;

import io.tierlimit.RateLimiter;
import io.tierlimit.autoconfigure.settings.EnabledCheck;
import io.tierlimit.evaluation.DisabledRateLimiter;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Checks {@code tierlimit.enabled}, and provides a {@link RateLimiter} that allows
 * everything if Tierlimit is disabled. It is the only auto-configuration that does not
 * depend on this property.
 */
@AutoConfiguration(before = TierlimitAutoConfiguration.class)
public final class TierlimitSwitchAutoConfiguration {

	@Bean
	static EnabledCheck rateLimitEnabledCheck(Environment environment) {
		return new EnabledCheck(environment, TierlimitAutoConfiguration.class, Disabled.class);
	}

	/**
	 * The beans that are present if Tierlimit is disabled.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "tierlimit.enabled", havingValue = false)
	static class Disabled {

		@Bean
		@ConditionalOnMissingBean
		RateLimiter rateLimiter() {
			return new DisabledRateLimiter();
		}

	}

}
