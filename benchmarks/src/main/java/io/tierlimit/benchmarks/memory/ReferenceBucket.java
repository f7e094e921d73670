package io.tierlimit.benchmarks.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The least that a shared bucket costs: one clock read and one compare-and-set. Its value
 * is the moment at which it is full again (GCRA), so it has no arithmetic beyond one
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
	 * @return false if the bucket has less than one
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
