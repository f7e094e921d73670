package io.tierlimit.autoconfigure.rules;

import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;

import io.tierlimit.autoconfigure.properties.StartupFailurePolicy;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.settings.BoundSettings;
import io.tierlimit.autoconfigure.settings.ConversionFailures;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.spi.RuleSource;
import io.tierlimit.store.BucketStore;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Reads the rules once, before other beans require them, and fails if a rule or another
 * property is not valid, so that the application does not start.
 */
@Configuration(proxyBeanMethods = false)
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
	ConfiguredRules rateLimitConfiguredRules(TierlimitProperties settings, ConversionFailures failures,
			ObjectProvider<RuleSource> sources, ConfigurableListableBeanFactory beans, Environment environment,
			RateLimitedBeanScanner scanner, ObjectProvider<Clock> clock, ObjectProvider<BucketStore> store) {
		RulesLoader loader = new RulesLoader(beans, environment, scanner, new BoundSettings(settings, failures),
				clock.getIfUnique(Clock::systemUTC), store::getIfUnique);
		return new ConfiguredRules(loader, new RuleSources(byName(sources, beans)),
				settings.reload().onStartupFailure() == StartupFailurePolicy.IGNORE);
	}

	private static Map<String, RuleSource> byName(ObjectProvider<RuleSource> sources,
			ConfigurableListableBeanFactory beans) {
		Map<String, RuleSource> unordered = BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, RuleSource.class);
		Map<String, RuleSource> byName = new LinkedHashMap<>();
		sources.orderedStream().forEach((source) -> unordered.forEach((name, bean) -> {
			if (bean == source) {
				byName.put(name, source);
			}
		}));
		// A prototype bean was not found above, because each call creates another object.
		unordered.forEach(byName::putIfAbsent);
		return byName;
	}

	@Bean
	ReloadableRules rateLimitRuleReloader(ConfiguredRules configured, ActiveRules rules) {
		return new ReloadableRules(configured, rules);
	}

}
