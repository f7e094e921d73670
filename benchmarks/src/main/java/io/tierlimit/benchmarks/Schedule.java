package io.tierlimit.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Evenly spaced times, each for one thread. The schedule begins with the creation of the
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
	 * Waits until the next time, unless it has passed. Returns false if there are no
	 * further times.
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
