package io.tierlimit.benchmarks.memory;

import java.util.Arrays;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.store.AcquireResult;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Four tiers for each of 1,000 callers, one after the other. The other libraries do not
 * decide several buckets together: they acquire from one bucket after the other, so a
 * rejection by the last bucket consumes permits from the first three. Their buckets are
 * found by an index, without a map.
 */
@State(Scope.Benchmark)
public class FourTiersBenchmark {

	private static final int TIERS = 4;

	private final TierlimitBuckets tierlimit = TierlimitBuckets.warm(TIERS, Callers.names(Callers.FEW));

	/**
	 * A store with space for the buckets of a quarter of the callers. All buckets are
	 * full.
	 */
	private final TierlimitBuckets evicting = new TierlimitBuckets(TIERS, Callers.names(Callers.FEW),
			TierlimitBuckets.INSTANT, Callers.FEW);

	private final ReferenceBucket[] reference = new ReferenceBucket[TIERS * Callers.FEW];

	private final Bucket[] bucket4j = new Bucket[TIERS * Callers.FEW];

	private final AtomicRateLimiter[] resilience4j = new AtomicRateLimiter[TIERS * Callers.FEW];

	private final RateLimiter[] guava = new RateLimiter[TIERS * Callers.FEW];

	/**
	 * Creates the buckets of the other libraries. The first calls create Tierlimit's
	 * buckets.
	 */
	public FourTiersBenchmark() {
		Arrays.setAll(this.reference, (i) -> Peers.reference());
		Arrays.setAll(this.bucket4j, (i) -> Peers.bucket4j());
		Arrays.setAll(this.resilience4j, (i) -> Peers.resilience4j());
		Arrays.setAll(this.guava, (i) -> Peers.guava());
	}

	/** Four times a clock read and a compare-and-set. */
	@Benchmark
	public boolean reference(Callers callers) {
		int first = callers.inTurn() * TIERS;
		boolean allowed = true;
		for (int i = first; i < first + TIERS; i++) {
			allowed &= this.reference[i].tryAcquire();
		}
		return allowed;
	}

	/** The store alone. */
	@Benchmark
	public AcquireResult store(Callers callers) {
		return this.tierlimit.acquire(callers.inTurn());
	}

	/** Four keys and costs, the store, and the verdict. */
	@Benchmark
	public Verdict evaluation(Callers callers) {
		return this.tierlimit.evaluate(callers.inTurn());
	}

	/** The store alone, where each call creates four buckets and evicts four. */
	@Benchmark
	public AcquireResult storeEvicting(Callers callers) {
		return this.evicting.acquire(callers.inTurn());
	}

	/** A whole evaluation, where each call creates four buckets and evicts four. */
	@Benchmark
	public Verdict evaluationEvicting(Callers callers) {
		return this.evicting.evaluate(callers.inTurn());
	}

	/** Four local buckets of bucket4j. */
	@Benchmark
	public boolean bucket4j(Callers callers) {
		int first = callers.inTurn() * TIERS;
		boolean allowed = true;
		for (int i = first; i < first + TIERS; i++) {
			allowed &= this.bucket4j[i].tryConsume(1);
		}
		return allowed;
	}

	/** Four rate limiters of Resilience4j. */
	@Benchmark
	public boolean resilience4j(Callers callers) {
		int first = callers.inTurn() * TIERS;
		boolean allowed = true;
		for (int i = first; i < first + TIERS; i++) {
			allowed &= this.resilience4j[i].acquirePermission(1);
		}
		return allowed;
	}

	/** Four rate limiters of Guava. */
	@Benchmark
	@SuppressWarnings("UnstableApiUsage")
	public boolean guava(Callers callers) {
		int first = callers.inTurn() * TIERS;
		boolean allowed = true;
		for (int i = first; i < first + TIERS; i++) {
			allowed &= this.guava[i].tryAcquire();
		}
		return allowed;
	}

}
