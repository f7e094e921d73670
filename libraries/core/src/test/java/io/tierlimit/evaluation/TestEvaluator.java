package io.tierlimit.evaluation;

import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.key.KeyHash;
import io.tierlimit.option.adaptive.AdaptiveRate;
import io.tierlimit.option.adaptive.AdaptiveRateUpdater;
import io.tierlimit.option.adaptive.AdaptiveRates;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;

/**
 * An evaluator with its current rules.
 *
 * @param activeRules the current rules
 * @param evaluator decides requests
 */
public record TestEvaluator(ActiveRules activeRules, RateLimitEvaluator evaluator) {

	public static TestEvaluator of(List<Rule> rules, Map<String, KeyResolver> resolvers, KeyHash hash,
			BucketStore store) {
		return of(rules, resolvers, hash, new RateLimitEvaluator(store));
	}

	static TestEvaluator of(List<Rule> rules, Map<String, KeyResolver> resolvers, KeyHash hash,
			RateLimitEvaluator evaluator) {
		return new TestEvaluator(new ActiveRules(new RuleCompiler(resolvers, hash,
				StandardOptions.of(InstantSource.system(), Map.of(), Ticker.system())), new RuleSet(rules)), evaluator);
	}

	public List<CompiledRule> rules() {
		return this.activeRules.current().all();
	}

	/** The options of a rule, as the management endpoint shows them. */
	public Map<String, Object> describe(String rule) {
		Map<String, Object> description = new LinkedHashMap<>();
		rule(rule).options().describe(description);
		return description;
	}

	public Set<CompiledRule> variants() {
		return this.activeRules.current().variants();
	}

	/** A rule that exists. */
	public CompiledRule rule(String id) {
		return Objects.requireNonNull(this.activeRules.current().rule(id));
	}

	public CompiledRule add(Rule rule, Collection<String> arguments) {
		return this.activeRules.current().add(rule, ofUnknownType(arguments));
	}

	public CompiledRule variant(Rule rule, Collection<String> arguments) {
		return this.activeRules.current().variant(rule, ofUnknownType(arguments));
	}

	private static Map<String, Class<?>> ofUnknownType(Collection<String> arguments) {
		return arguments.stream().collect(Collectors.toMap((name) -> name, (name) -> Object.class));
	}

	public void replace(Rule... rules) {
		replace(new RuleSet(List.of(rules)));
	}

	public void replace(RuleSet rules) {
		this.activeRules.replace(this.activeRules.compile(rules));
	}

	/** Updates the adaptive rates of the current rules. */
	public AdaptiveRateUpdater updater(BucketStore store) {
		return new AdaptiveRateUpdater(() -> this.activeRules.current().option(AdaptiveRates.class),
				(action) -> this.activeRules.whenReplaced((replaced) -> action.run()), store);
	}

	public RateLimiter limiter() {
		return new EvaluatingRateLimiter(this.activeRules, this.evaluator, () -> null);
	}

	/**
	 * A request to which the rules with these ids apply; without ids, all rules apply.
	 */
	public List<MatchedRule> matched(String... ids) {
		List<CompiledRule> matched = (ids.length == 0) ? rules() : Stream.of(ids).map(this::rule).toList();
		return matched.stream().map((rule) -> new MatchedRule(rule, null)).toList();
	}

	public RateLimitTransaction begin(Caller caller) {
		return new RateLimitTransaction(this.evaluator, caller);
	}

	/** Evaluates a request to which all rules apply. */
	public Verdict evaluate(Caller caller) {
		return evaluate(matched(), caller);
	}

	public Verdict evaluate(List<MatchedRule> matched, Caller caller) {
		return this.evaluator.evaluate(matched, caller);
	}

	public AdaptiveRate adaptiveRate(String rule) {
		return Objects.requireNonNull(rule(rule).options().find(AdaptiveRate.class));
	}

	/** The remaining permits in the only bucket of a rule. */
	public long remaining(String rule) {
		return remaining(PermitRequest.of(rule));
	}

	/** The remaining permits in a bucket. */
	public long remaining(PermitRequest bucket) {
		return limiter().peek(bucket.cost(0)).decisions().get(0).decision().remaining();
	}

}
