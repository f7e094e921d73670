package io.tierlimit.benchmarks.memory;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.tierlimit.Verdict;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RuleCompiler;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;

/**
 * A store with one bucket for each caller in each of several tiers, called directly or
 * through an evaluator. The charges of a direct call are prepared, so it does not build
 * keys.
 */
final class TierlimitBuckets {

	/** Under this limit, a used bucket becomes neither empty nor full during a run. */
	static final Limit SLOW = new TokenBucket(Rate.parse("100/s"), 10_000_000_000L);

	/** Under this limit, an empty bucket is full after a microsecond. */
	static final Limit INSTANT = new TokenBucket(Rate.parse("1000000/ms"), 1000);

	private static final StoreFailureFlag FAILURE_FLAG = new StoreFailureFlag();

	private final InMemoryBucketStore store;

	private final List<List<Charge>> charges = new ArrayList<>();

	private final List<Caller> callers = new ArrayList<>();

	private final RateLimitEvaluator evaluator;

	private final List<MatchedRule> matched = new ArrayList<>();

	/**
	 * Prepares callers. The first calls create their buckets.
	 */
	TierlimitBuckets(int tiers, String[] callers, Limit limit, int maxBuckets) {
		this(tiers, callers, limit, maxBuckets, (options) -> options, List.of());
	}

	private TierlimitBuckets(int tiers, String[] callers, Limit limit, int maxBuckets,
			UnaryOperator<RuleOptions> option, List<CallerOverride> overrides) {
		this.store = new InMemoryBucketStore(Ticker.system(), maxBuckets);
		List<Rule> rules = new ArrayList<>();
		for (int tier = 0; tier < tiers; tier++) {
			rules.add(new Rule("tier-" + tier, Selection.ALL_REQUESTS, Scope.of("user"), new RuleLimits(limit)));
		}
		rules.set(0, rules.get(0).options(option));
		this.evaluator = new RateLimitEvaluator(this.store);
		new RuleCompiler(Map.of(), new KeyHash(KeyHashing.NONE, null),
				StandardOptions.of(InstantSource.system(), Map.of(), Ticker.system()))
			.compile(new RuleSet(rules).overrides(overrides))
			.all()
			.forEach((rule) -> this.matched.add(new MatchedRule(rule, null)));
		for (String user : callers) {
			this.callers.add(new User(user));
			List<Charge> all = new ArrayList<>();
			for (Rule rule : rules) {
				all.add(new Charge(new BucketKey(rule.id(), user), limit, 1));
			}
			this.charges.add(all);
		}
	}

	/** Prepares buckets that are never evicted, and never full after a charge. */
	static TierlimitBuckets warm(int tiers, String[] callers) {
		return new TierlimitBuckets(tiers, callers, SLOW, 2 * tiers * callers.length);
	}

	/**
	 * Prepares the same buckets. The first rule has an option, or callers have overrides.
	 */
	static TierlimitBuckets warm(int tiers, String[] callers, UnaryOperator<RuleOptions> option,
			List<CallerOverride> overrides) {
		return new TierlimitBuckets(tiers, callers, SLOW, 2 * (tiers + 1) * callers.length, option, overrides);
	}

	AcquireResult acquire(int caller) {
		return this.store.acquire(this.charges.get(caller), FAILURE_FLAG);
	}

	Verdict evaluate(int caller) {
		return this.evaluator.evaluate(this.matched, this.callers.get(caller));
	}

	InMemoryBucketStore store() {
		return this.store;
	}

	private record User(String user) implements Caller {

	}

}
