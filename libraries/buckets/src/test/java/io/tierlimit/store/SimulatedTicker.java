package io.tierlimit.store;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until a test advances it.
 */
public final class SimulatedTicker implements Ticker {

	private final AtomicLong ticks = new AtomicLong();

	@Override
	public long ticks() {
		return this.ticks.get();
	}

	public void advance(Duration duration) {
		advance(duration.toNanos() / 1000);
	}

	public void advance(long ticks) {
		this.ticks.addAndGet(ticks);
	}

	public void set(long ticks) {
		this.ticks.set(ticks);
	}

}
