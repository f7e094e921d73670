package io.tierlimit.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Evenly spaced moments, each of which one thread gets. Time begins with the object.
 */
final class Schedule {

	private final long start = System.nanoTime();

	private final double interval;

	private final long count;

	private final AtomicLong taken = new AtomicLong();

	Schedule(long perSecond, Duration duration) {
		this.interval = 1e9 / perSecond;
		this.count = perSecond * duration.toSeconds();
	}

	/** Waits for the next moment, not at all if it is past; false if there is none. */
	boolean awaitNext() throws InterruptedException {
		long next = this.taken.getAndIncrement();
		if (next >= this.count) {
			return false;
		}
		TimeUnit.NANOSECONDS.sleep((long) (next * this.interval) - elapsed());
		return true;
	}

	/** Nanoseconds since the start. */
	long elapsed() {
		return System.nanoTime() - this.start;
	}

}
