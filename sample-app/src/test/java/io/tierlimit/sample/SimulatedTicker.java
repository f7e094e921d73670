package io.tierlimit.sample;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.store.Ticker;

/**
 * A clock that stands still until a test moves it on.
 */
public class SimulatedTicker implements Ticker {

	private final AtomicLong now = new AtomicLong();

	@Override
	public long ticks() {
		return this.now.get();
	}

	/**
	 * Moves the clock on.
	 * @param time how far
	 */
	public void advance(Duration time) {
		this.now.addAndGet(time.toNanos() / 1000);
	}

}
