package io.tierlimit.benchmarks.memory;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.store.AcquireResult;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * One tier with one bucket for each caller, including the look-up of the bucket. The
 * other libraries leave the look-up to the application: here, it is a concurrent map that
 * never evicts anything.
 */
@State(Scope.Benchmark)
public abstract class KeyedBenchmark {

	private final String[] users;

	private final TierlimitBuckets tierlimit;

	private final ConcurrentMap<String, ReferenceBucket> reference = new ConcurrentHashMap<>();

	private final ConcurrentMap<String, Bucket> bucket4j = new ConcurrentHashMap<>();

	private final ConcurrentMap<String, AtomicRateLimiter> resilience4j = new ConcurrentHashMap<>();

	private final ConcurrentMap<String, RateLimiter> guava = new ConcurrentHashMap<>();

	KeyedBenchmark(int count) {
		this.users = Callers.names(count);
		this.tierlimit = TierlimitBuckets.warm(1, this.users);
	}

	abstract int next(Callers callers);

	/** One compare-and-set with its clock read, found in a map. */
	@Benchmark
	public boolean reference(Callers callers) {
		return this.reference.computeIfAbsent(this.users[next(callers)], (user) -> Peers.reference()).tryAcquire();
	}

	/** The store alone. */
	@Benchmark
	public AcquireResult store(Callers callers) {
		return this.tierlimit.acquire(next(callers));
	}

	/** The key, the cost, the store, and the verdict. */
	@Benchmark
	public Verdict evaluation(Callers callers) {
		return this.tierlimit.evaluate(next(callers));
	}

	/** A local bucket of bucket4j, found in a map. */
	@Benchmark
	public boolean bucket4j(Callers callers) {
		return this.bucket4j.computeIfAbsent(this.users[next(callers)], (user) -> Peers.bucket4j()).tryConsume(1);
	}

	/** A rate limiter of Resilience4j, found in a map. */
	@Benchmark
	public boolean resilience4j(Callers callers) {
		return this.resilience4j.computeIfAbsent(this.users[next(callers)], (user) -> Peers.resilience4j())
			.acquirePermission(1);
	}

	/** A rate limiter of Guava, found in a map. */
	@Benchmark
	@SuppressWarnings("UnstableApiUsage")
	public boolean guava(Callers callers) {
		return this.guava.computeIfAbsent(this.users[next(callers)], (user) -> Peers.guava()).tryAcquire();
	}

}
