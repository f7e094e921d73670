package io.tierlimit.autoconfigure;

import io.tierlimit.RateLimiter;
import io.tierlimit.autoconfigure.rules.EnabledCheck;
import io.tierlimit.evaluation.DisabledRateLimiter;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * The one part that is present whatever {@code tierlimit.enabled} is: it checks that
 * value and, where Tierlimit is disabled, provides a {@link RateLimiter} that allows
 * everything.
 */
@AutoConfiguration(before = TierlimitAutoConfiguration.class)
public final class TierlimitSwitchAutoConfiguration {

	@Bean
	static EnabledCheck rateLimitEnabledCheck(Environment environment) {
		return new EnabledCheck(environment, TierlimitAutoConfiguration.class, Disabled.class);
	}

	/**
	 * What remains of Tierlimit where it is disabled.
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
