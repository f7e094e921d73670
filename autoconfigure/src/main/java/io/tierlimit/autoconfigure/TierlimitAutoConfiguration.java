package io.tierlimit.autoconfigure;

import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RateLimiter;
import io.tierlimit.key.AuthorityPlanResolver;
import io.tierlimit.key.KeyResolver;
import io.tierlimit.key.PlanResolver;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.Ticker;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Rules from the configuration, the store in memory, and the evaluator.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@EnableConfigurationProperties(TierlimitProperties.class)
public final class TierlimitAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	Ticker rateLimitTicker() {
		return Ticker.system();
	}

	@Bean
	@DependsOn("rateLimitConfiguredRules")
	@ConditionalOnMissingBean(BucketStore.class)
	InMemoryBucketStore rateLimitBucketStore(Ticker ticker, TierlimitProperties properties) {
		return new InMemoryBucketStore(ticker, properties.memory().maxBuckets());
	}

	@Bean
	@ConditionalOnMissingBean(PlanResolver.class)
	AuthorityPlanResolver rateLimitPlanResolver(TierlimitProperties properties) {
		return new AuthorityPlanResolver(properties.plan().authorityPrefix(), properties.plan().defaultPlan());
	}

	@Bean
	@ConditionalOnMissingBean
	RuleSet rateLimitRules(ConfiguredRules configured) {
		return configured.rules();
	}

	@Bean
	ConfiguredRules rateLimitConfiguredRules(TierlimitProperties properties, ListableBeanFactory beans,
			Environment environment) {
		PropertyPlaces places = new PropertyPlaces(environment);
		Problems problems = new Problems(places);
		UnknownProperties.check(places, problems);
		if (properties.memory().maxBuckets() < 1) {
			problems.add(
					"The store in memory needs room for 1 bucket or more but has " + properties.memory().maxBuckets(),
					"Correct", ConfigurationPropertyName.of("tierlimit.memory.max-buckets"));
		}
		return new ConfiguredRules(
				new RuleSetReader(beans.getBeansOfType(KeyResolver.class).keySet(), problems).read(properties.rules()));
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitEvaluator rateLimitEvaluator(RuleSet rules, ListableBeanFactory beans, BucketStore store) {
		return new RateLimitEvaluator(rules, beans.getBeansOfType(KeyResolver.class), store);
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimiter rateLimiter(RateLimitEvaluator evaluator) {
		return new RateLimiter(evaluator);
	}

	@Bean
	@Lazy(false)
	StartReport rateLimitStartReport(RuleSet rules, BucketStore store, ListableBeanFactory beans) {
		return new StartReport(rules, store, beans.containsBean(TierlimitServletAutoConfiguration.FILTER_BEAN));
	}

}
