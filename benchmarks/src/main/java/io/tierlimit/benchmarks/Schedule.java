package io.tierlimit.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Evenly spaced moments, each for one thread. Time begins with the creation of the
 * object.
 */
final class Schedule {

	private final long start = System.nanoTime();

	private final double interval;

	private final long count;

	private final AtomicLong next = new AtomicLong();

	Schedule(long perSecond, Duration duration) {
		this.interval = 1e9 / perSecond;
		this.count = perSecond * duration.toSeconds();
	}

	/**
	 * Waits for the next moment, not at all if it has passed; false if there are no more.
	 */
	boolean awaitNext() throws InterruptedException {
		long index = this.next.getAndIncrement();
		if (index >= this.count) {
			return false;
		}
		TimeUnit.NANOSECONDS.sleep((long) (index * this.interval) - elapsed());
		return true;
	}

	/** Nanoseconds since the creation. */
	long elapsed() {
		return System.nanoTime() - this.start;
	}

}
