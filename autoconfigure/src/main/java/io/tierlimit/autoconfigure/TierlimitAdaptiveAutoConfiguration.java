package io.tierlimit.autoconfigure;

import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.option.adaptive.AdaptiveRateUpdater;
import io.tierlimit.option.adaptive.AdaptiveRates;
import io.tierlimit.store.BucketStore;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Configures the background task that adapts the rates of adaptive rules to the health of
 * the resources that they protect.
 */
@AutoConfiguration(after = { TierlimitAutoConfiguration.class, TierlimitRedisAutoConfiguration.class })
@ConditionalOnBean(ActiveRules.class)
public final class TierlimitAdaptiveAutoConfiguration {

	@Bean(initMethod = "start", destroyMethod = "close")
	@Lazy(false)
	AdaptiveRateUpdater rateLimitAdaptiveRateUpdater(ActiveRules rules, BucketStore store) {
		return new AdaptiveRateUpdater(() -> rules.current().option(AdaptiveRates.class),
				(action) -> rules.whenReplaced((replaced) -> action.run()), store);
	}

}
