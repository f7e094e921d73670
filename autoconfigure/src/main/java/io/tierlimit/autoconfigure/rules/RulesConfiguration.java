package io.tierlimit.autoconfigure.rules;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.rule.RuleSet;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Reads the rules once, before other beans require them, and stops startup if a rule or
 * another property is not valid.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RuleSetProperties.class)
public class RulesConfiguration {

	@Bean
	static ConversionFailures rateLimitConversionFailures() {
		return new ConversionFailures();
	}

	@Bean
	static RulesCheck rateLimitRulesCheck(Environment environment) {
		return new RulesCheck(environment);
	}

	@Bean
	ConfiguredRules rateLimitConfiguredRules(TierlimitProperties settings, RuleSetProperties rules,
			ConversionFailures failures, ConfigurableListableBeanFactory beans, Environment environment,
			RateLimitedBeanScanner scanner) {
		return ConfiguredRules.read(new BoundProperties(settings, rules, failures), beans, environment, scanner);
	}

	@Bean(ConfiguredRules.RULES_BEAN)
	@ConditionalOnMissingBean
	RuleSet rateLimitRules(ConfiguredRules configured) {
		return configured.rules();
	}

}
