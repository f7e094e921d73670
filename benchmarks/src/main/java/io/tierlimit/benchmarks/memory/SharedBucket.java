package io.tierlimit.benchmarks.memory;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import io.tierlimit.Verdict;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RuleCompiler;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.option.shard.Shards;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.shard.ShardedBuckets;

/**
 * One bucket that all callers share, in memory and through an evaluator. It never becomes
 * empty or full during a run.
 */
final class SharedBucket {

	private static final Caller CALLER = new Caller() {

	};

	private final RateLimitEvaluator evaluator;

	private final List<MatchedRule> matched;

	private SharedBucket(BucketStore store, Rule rule) {
		this.evaluator = new RateLimitEvaluator(store);
		this.matched = new RuleCompiler(Map.of(), new KeyHash(KeyHashing.NONE, null),
				StandardOptions.of(InstantSource.system(), Map.of(), Ticker.system()))
			.compile(new RuleSet(List.of(rule)))
			.all()
			.stream()
			.map((compiled) -> new MatchedRule(compiled, null))
			.toList();
	}

	/** A bucket in a store that does not support shards. */
	static SharedBucket withoutShards() {
		return new SharedBucket(store(), rule());
	}

	/** A bucket that is spread over shards; with one shard, it is not spread. */
	static SharedBucket spread(int shards) {
		Rule rule = (shards == 1) ? rule() : rule().options((options) -> options.with(new Shards(shards)));
		return new SharedBucket(new ShardedBuckets(store(), Ticker.system()), rule);
	}

	private static BucketStore store() {
		return new InMemoryBucketStore(Ticker.system(), 2 * BucketKey.MAX_SHARDS);
	}

	private static Rule rule() {
		return new Rule("shared", Selection.ALL_REQUESTS, Scope.of(Scope.GLOBAL),
				new RuleLimits(TierlimitBuckets.SLOW));
	}

	Verdict evaluate() {
		return this.evaluator.evaluate(this.matched, CALLER);
	}

}
