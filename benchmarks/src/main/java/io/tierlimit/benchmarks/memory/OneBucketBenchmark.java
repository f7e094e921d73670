package io.tierlimit.benchmarks.memory;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.store.AcquireResult;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * One bucket that all threads share.
 */
@State(Scope.Benchmark)
public class OneBucketBenchmark {

	private final TierlimitBuckets tierlimit = TierlimitBuckets.warm(1, Callers.names(1));

	private final ReferenceBucket reference = Peers.reference();

	private final Bucket bucket4j = Peers.bucket4j();

	private final AtomicRateLimiter resilience4j = Peers.resilience4j();

	private final RateLimiter guava = Peers.guava();

	/** One compare-and-set with its clock read. */
	@Benchmark
	public boolean reference() {
		return this.reference.tryAcquire();
	}

	/** The store alone. */
	@Benchmark
	public AcquireResult store() {
		return this.tierlimit.acquire(0);
	}

	/** The key, the cost, the store, and the verdict. */
	@Benchmark
	public Verdict evaluation() {
		return this.tierlimit.evaluate(0);
	}

	/** A local bucket of bucket4j. */
	@Benchmark
	public boolean bucket4j() {
		return this.bucket4j.tryConsume(1);
	}

	/** A rate limiter of Resilience4j. */
	@Benchmark
	public boolean resilience4j() {
		return this.resilience4j.acquirePermission(1);
	}

	/** A rate limiter of Guava. */
	@Benchmark
	@SuppressWarnings("UnstableApiUsage")
	public boolean guava() {
		return this.guava.tryAcquire();
	}

}
