package io.tierlimit.autoconfigure;

import java.time.Clock;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.tierlimit.RateLimiter;
import io.tierlimit.autoconfigure.properties.StandardBeans;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.reload.ConfigurationWatcher;
import io.tierlimit.autoconfigure.report.StartupReport;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.autoconfigure.rules.RulesConfiguration;
import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.EvaluatingRateLimiter;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.PlanSource;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RuleCompiler;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.Sleeper;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.key.AuthorityPlanResolver;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.CompositePlanResolver;
import io.tierlimit.key.ExpressionPlanResolver;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.key.IdentityResolver;
import io.tierlimit.key.KeyHash;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperationSource;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.spi.AuthoritiesResolver;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.CallerResolver;
import io.tierlimit.spi.ClaimResolver;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.spi.VerdictListener;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.shard.ShardedBuckets;
import io.tierlimit.store.memory.InMemoryBucketStore;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Configures the rules, the store in memory, and the evaluator.
 */
@AutoConfiguration(after = { TierlimitSecurityAutoConfiguration.class, TierlimitMethodAutoConfiguration.class })
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@EnableConfigurationProperties(TierlimitProperties.class)
@Import(RulesConfiguration.class)
@ImportRuntimeHints(TierlimitRuntimeHints.class)
public final class TierlimitAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	Ticker rateLimitTicker() {
		return Ticker.system();
	}

	@Bean(StandardBeans.STORE)
	@DependsOn("rateLimitConfiguredRules")
	@ConditionalOnMissingBean(BucketStore.class)
	InMemoryBucketStore rateLimitBucketStore(Ticker ticker, TierlimitProperties properties) {
		return new InMemoryBucketStore(ticker, properties.memory().maxBuckets());
	}

	@Bean(StandardBeans.PLAN_RESOLVER)
	@DependsOn("rateLimitConfiguredRules")
	@ConditionalOnMissingBean(PlanResolver.class)
	CompositePlanResolver rateLimitPlanResolver(TierlimitProperties properties, ObjectProvider<PlanSource> source) {
		TierlimitProperties.Plan plan = properties.plan();
		PlanSource table = source.getIfAvailable(() -> PlanSource.NONE);
		String key = plan.key();
		PlanResolver byKey = (key != null) ? ExpressionPlanResolver.parse(key) : (caller) -> null;
		return new CompositePlanResolver(
				List.of(table::planOf, byKey, new AuthorityPlanResolver(plan.authorityPrefix())), plan.defaultPlan());
	}

	@Bean
	@ConditionalOnMissingBean
	AuthoritiesResolver rateLimitAuthoritiesResolver() {
		return (principal) -> List.of();
	}

	@Bean
	@DependsOn("rateLimitConfiguredRules")
	IdentityResolver rateLimitIdentities(TierlimitProperties properties, AuthoritiesResolver authorities,
			ClaimResolver claims, PlanResolver plans) {
		String key = properties.user().key();
		return new IdentityResolver((key != null) ? CallerExpression.parse(key, ExpressionUse.USER, Map.of()) : null,
				authorities, claims, plans);
	}

	@Bean
	@ConditionalOnMissingBean
	ClaimResolver rateLimitClaimResolver() {
		return (principal, claim) -> null;
	}

	@Bean
	@DependsOn("rateLimitConfiguredRules")
	KeyHash rateLimitKeyHash(TierlimitProperties properties) {
		return new KeyHash(properties.keys().hash(), properties.keys().secret());
	}

	@Bean
	@ConditionalOnMissingBean
	CallerResolver rateLimitCallerResolver() {
		return () -> Caller.UNKNOWN;
	}

	@Bean
	@DependsOn("rateLimitConfiguredRules")
	WaitQueue rateLimitWaitQueue(TierlimitProperties properties, ObjectProvider<Sleeper> sleeper) {
		return new WaitQueue(properties.web().maxWaiting(), sleeper.getIfAvailable(Sleeper::system));
	}

	@Bean
	ActiveRules rateLimitActiveRules(ConfiguredRules rules, ListableBeanFactory beans, KeyHash hash,
			ObjectProvider<Clock> clock, Ticker ticker, ObjectProvider<RuleOptionFactory> others) {
		InstantSource calendar = clock.getIfUnique(Clock::systemUTC);
		List<RuleOptionFactory> options = new ArrayList<>(
				StandardOptions.of(calendar, beans.getBeansOfType(OverloadSignal.class), ticker));
		others.orderedStream().forEach(options::add);
		return new ActiveRules(new RuleCompiler(beans.getBeansOfType(KeyResolver.class), hash, options), rules.rules());
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitEvaluator rateLimitEvaluator(BucketStore store, Ticker ticker, ObjectProvider<EvaluationObserver> observer,
			ObjectProvider<VerdictListener> listeners, WaitQueue waitQueue) {
		// Listeners may depend on beans that depend on this one.
		Supplier<List<VerdictListener>> found = SingletonSupplier.of(() -> listeners.orderedStream().toList());
		return new RateLimitEvaluator(new ShardedBuckets(store, ticker),
				new VerdictPublisher(observer.getIfUnique(() -> EvaluationObserver.NONE), found), waitQueue);
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimiter rateLimiter(ActiveRules rules, RateLimitEvaluator evaluator, ObjectProvider<CurrentRequest> requests) {
		return new EvaluatingRateLimiter(rules, evaluator, requests::getIfAvailable);
	}

	@Bean
	@ConditionalOnMissingBean
	ConfigurationWatcher rateLimitConfigurationWatcher(ConfigurableEnvironment environment, RuleReloader reloader,
			TierlimitProperties properties) {
		return new ConfigurationWatcher(environment.getPropertySources(), reloader, properties.reload().watch());
	}

	@Bean
	@Lazy(false)
	StartupReport rateLimitStartReport(ActiveRules rules, BucketStore store, RateLimitedBeanScanner scanner,
			RateLimitedOperationSource methods, TierlimitProperties properties, ConfiguredRules configured,
			ConfigurableListableBeanFactory beans) {
		return new StartupReport(rules, store, scanner, methods, properties, configured, beans);
	}

}
