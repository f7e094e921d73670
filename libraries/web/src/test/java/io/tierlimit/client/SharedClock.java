package io.tierlimit.client;

import java.time.Duration;
import java.util.PriorityQueue;

import io.tierlimit.evaluation.Sleeper;
import io.tierlimit.store.Ticker;

/**
 * A clock of several threads. It stands still until all threads sleep, and then advances
 * to the time at which the next thread wakes up.
 */
final class SharedClock implements Ticker, Sleeper {

	private final PriorityQueue<Long> wakes = new PriorityQueue<>();

	private long now;

	private int awake;

	/**
	 * Creates a clock.
	 * @param threads the number of threads, which are awake
	 */
	SharedClock(long now, int threads) {
		this.now = now;
		this.awake = threads;
	}

	@Override
	public synchronized long ticks() {
		return this.now;
	}

	@Override
	public synchronized void sleep(Duration time) throws InterruptedException {
		long wake = this.now + time.toNanos() / 1000;
		this.wakes.add(wake);
		leave();
		while (this.now < wake) {
			wait();
		}
	}

	/** Called by a thread that ends. */
	synchronized void leave() {
		this.awake--;
		Long next = this.wakes.peek();
		if (this.awake > 0 || next == null) {
			return;
		}
		this.now = Math.max(this.now, next);
		while (next != null && next <= this.now) {
			this.wakes.remove();
			this.awake++;
			next = this.wakes.peek();
		}
		notifyAll();
	}

}
