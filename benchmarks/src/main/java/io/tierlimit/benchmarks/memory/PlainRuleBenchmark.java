package io.tierlimit.benchmarks.memory;

import io.tierlimit.Verdict;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What the support of shards adds to the evaluation of a rule without shards.
 */
@State(Scope.Benchmark)
public class PlainRuleBenchmark {

	private final SharedBucket direct = SharedBucket.withoutShards();

	private final SharedBucket behindShards = SharedBucket.spread(1);

	/** The evaluator calls the store. */
	@Benchmark
	public Verdict reference() {
		return this.direct.evaluate();
	}

	/** The evaluator calls the store through the class that spreads buckets. */
	@Benchmark
	public Verdict behindShards() {
		return this.behindShards.evaluate();
	}

}
