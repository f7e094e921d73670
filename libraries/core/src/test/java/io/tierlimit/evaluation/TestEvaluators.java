package io.tierlimit.evaluation;

import java.util.List;
import java.util.Map;

import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;

/**
 * Evaluators for tests: without key resolvers, with keys that are not hashed.
 */
public final class TestEvaluators {

	/** Hashes no part of a key. */
	public static final KeyHash PLAIN_KEYS = new KeyHash(KeyHashing.NONE, null);

	private TestEvaluators() {
	}

	/** An evaluator with a store in memory for 100 buckets and a fixed time. */
	public static TestEvaluator of(Rule... rules) {
		return of(memory(100), rules);
	}

	public static TestEvaluator of(BucketStore store, Rule... rules) {
		return TestEvaluator.of(List.of(rules), Map.of(), PLAIN_KEYS, store);
	}

	public static TestEvaluator of(BucketStore store, VerdictPublisher publisher, WaitQueue waitQueue, Rule... rules) {
		return TestEvaluator.of(List.of(rules), Map.of(), PLAIN_KEYS,
				new RateLimitEvaluator(store, publisher, waitQueue));
	}

	/** A store with a fixed time. */
	public static InMemoryBucketStore memory(int maxBuckets) {
		return new InMemoryBucketStore(new SimulatedTicker(), maxBuckets);
	}

}
