package io.tierlimit.benchmarks.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The least that a shared bucket costs: one clock read and one compare-and-set. A bucket
 * is the moment at which it is full again (GCRA), so it has no arithmetic beyond one
 * comparison and one addition. Not exact, not limited in memory, one tier only.
 */
public final class ReferenceBucket {

	private final AtomicLong fullAt = new AtomicLong(Long.MIN_VALUE / 2);

	private final long nanosPerPermit;

	private final long capacityNanos;

	ReferenceBucket(long nanosPerPermit, long capacity) {
		this.nanosPerPermit = nanosPerPermit;
		this.capacityNanos = nanosPerPermit * capacity;
	}

	/**
	 * Acquires one permit.
	 * @return false if the bucket has less than one
	 */
	public boolean tryAcquire() {
		while (true) {
			long now = System.nanoTime();
			long before = this.fullAt.get();
			long after = Math.max(before, now) + this.nanosPerPermit;
			if (after - now > this.capacityNanos) {
				return false;
			}
			if (this.fullAt.compareAndSet(before, after)) {
				return true;
			}
		}
	}

}
