package io.tierlimit.autoconfigure;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.StandaloneCalls;
import io.tierlimit.method.RateLimitedBeanPostProcessor;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperationSource;
import io.tierlimit.spi.CallerResolver;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Configures the interception of annotated methods.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
public final class TierlimitMethodAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static RateLimitedBeanScanner rateLimitedBeanScanner(Environment environment) {
		return new RateLimitedBeanScanner(!proxiesClasses(environment));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static RateLimitedBeanPostProcessor rateLimitedBeanPostProcessor(RateLimitedBeanScanner scanner,
			Environment environment, BeanFactory beans) {
		return new RateLimitedBeanPostProcessor(scanner, proxiesClasses(environment),
				SingletonSupplier.of(() -> beans.getBean(CurrentRequest.class)));
	}

	private static boolean proxiesClasses(Environment environment) {
		return environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
	}

	@Bean
	@Fallback
	StandaloneCalls rateLimitStandaloneCalls(ActiveRules rules, MethodRulesLookup methods, RateLimitEvaluator evaluator,
			CallerResolver callers) {
		return new StandaloneCalls(rules, methods, evaluator, callers);
	}

	@Bean
	RateLimitedOperationSource rateLimitedOperationSource(ConfiguredRules configured) {
		return new RateLimitedOperationSource(configured);
	}

}
