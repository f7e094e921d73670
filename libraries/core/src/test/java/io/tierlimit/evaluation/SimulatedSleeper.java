package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;

import io.tierlimit.store.SimulatedTicker;

/**
 * Runs an action in each sleep, and then advances the clock unless the sleep has ended by
 * a signal or an interrupt. What other threads do happens in these actions.
 */
class SimulatedSleeper implements Sleeper {

	static final Runnable NOTHING = () -> {
	};

	final List<Duration> sleeps = new ArrayList<>();

	private final Deque<Runnable> actions = new ArrayDeque<>();

	private final SimulatedTicker ticker;

	SimulatedSleeper(SimulatedTicker ticker) {
		this.ticker = ticker;
	}

	/** Adds the action of the next sleep. */
	SimulatedSleeper then(Runnable action) {
		this.actions.add(action);
		return this;
	}

	/** Interrupts the thread in the next sleep. */
	SimulatedSleeper thenInterrupt() {
		return then(() -> Thread.currentThread().interrupt());
	}

	@Override
	public void sleep(Duration time) throws InterruptedException {
		sleep(time, new Semaphore(0));
	}

	@Override
	public void sleep(Duration time, Semaphore signal) throws InterruptedException {
		this.sleeps.add(time);
		Runnable action = this.actions.poll();
		if (action != null) {
			action.run();
		}
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		if (!signal.tryAcquire()) {
			this.ticker.advance(time);
		}
	}

	@Override
	public long nanoTime() {
		return 1000 * this.ticker.ticks();
	}

}
