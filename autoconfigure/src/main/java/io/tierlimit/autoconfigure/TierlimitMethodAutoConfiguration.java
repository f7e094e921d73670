package io.tierlimit.autoconfigure;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.evaluation.StandaloneCalls;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.key.CallerResolver;
import io.tierlimit.method.RateLimitedBeanPostProcessor;
import io.tierlimit.method.RateLimitedClasses;
import io.tierlimit.method.RateLimitedMethods;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * The annotation's effect on beans.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
public final class TierlimitMethodAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static RateLimitedClasses rateLimitedClasses(Environment environment) {
		return new RateLimitedClasses(!proxiesClasses(environment));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static RateLimitedBeanPostProcessor rateLimitedBeanPostProcessor(RateLimitedClasses classes,
			Environment environment, BeanFactory beans) {
		return new RateLimitedBeanPostProcessor(classes, proxiesClasses(environment),
				SingletonSupplier.of(() -> beans.getBean(MethodRulesLookup.class)),
				SingletonSupplier.of(() -> beans.getBeanProvider(CurrentRequest.class)
					.getIfAvailable(() -> standaloneCalls(beans))));
	}

	private static boolean proxiesClasses(Environment environment) {
		return environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
	}

	private static StandaloneCalls standaloneCalls(BeanFactory beans) {
		return new StandaloneCalls(beans.getBean(RateLimitEvaluator.class), beans.getBean(CallerResolver.class));
	}

	@Bean
	RateLimitedMethods rateLimitedMethods(RateLimitedClasses classes, ConfiguredRules configured,
			RateLimitEvaluator evaluator) {
		return new RateLimitedMethods(classes, configured, evaluator);
	}

}
