package io.tierlimit.benchmarks.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The minimum cost of a shared bucket: one clock read and one compare-and-set. The value
 * is the time at which the bucket is full again (GCRA), so the only arithmetic is one
 * comparison and one addition. All buckets have the same limit, a permit per nanosecond.
 * Not exact, one tier only.
 */
public final class ReferenceBucket extends AtomicLong {

	private static final long serialVersionUID = 1L;

	private static final long CAPACITY_NANOS = 1_000_000_000;

	/** Creates a full bucket. */
	public ReferenceBucket() {
		super(Long.MIN_VALUE / 2);
	}

	/**
	 * Acquires one permit.
	 * @return false if the bucket has less than one permit
	 */
	public boolean tryAcquire() {
		while (true) {
			long now = System.nanoTime();
			long before = get();
			long after = Math.max(before, now) + 1;
			if (after - now > CAPACITY_NANOS) {
				return false;
			}
			if (compareAndSet(before, after)) {
				return true;
			}
		}
	}

}
