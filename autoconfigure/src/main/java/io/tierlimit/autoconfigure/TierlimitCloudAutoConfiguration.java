package io.tierlimit.autoconfigure;

import io.tierlimit.autoconfigure.reload.EnvironmentChangeListener;
import io.tierlimit.evaluation.RuleReloader;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.annotation.Bean;

/**
 * Configures the reload of the rules when Spring Cloud changes the environment.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class)
@ConditionalOnClass(EnvironmentChangeEvent.class)
@ConditionalOnBean(RuleReloader.class)
public final class TierlimitCloudAutoConfiguration {

	@Bean
	EnvironmentChangeListener rateLimitEnvironmentChangeListener(RuleReloader reloader) {
		return new EnvironmentChangeListener(reloader);
	}

}
