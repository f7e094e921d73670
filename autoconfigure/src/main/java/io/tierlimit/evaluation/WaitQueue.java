package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

import io.tierlimit.Verdict;

/**
 * The queue of requests and calls that wait for reserved permits ({@code max-wait}). The
 * evaluator takes a slot for a request that must wait, and rejects the request if no slot
 * is free. The thread of the request waits in {@link #await}, which releases the slot.
 */
public final class WaitQueue {

	/** A queue without slots: no request can wait. */
	public static final WaitQueue NONE = new WaitQueue(0, Sleeper.system());

	private final Semaphore slots;

	private final Sleeper sleeper;

	/**
	 * Creates a queue.
	 * @param slots how many requests can wait at the same time, 0 or more
	 * @param sleeper suspends the waiting threads
	 */
	public WaitQueue(int slots, Sleeper sleeper) {
		this.slots = new Semaphore(slots);
		this.sleeper = sleeper;
	}

	/** Whether there is a free slot now; another thread may take it first. */
	boolean hasRoom() {
		return this.slots.availablePermits() > 0;
	}

	/** Takes a slot, which {@link #await} releases. */
	boolean enter() {
		return this.slots.tryAcquire();
	}

	/**
	 * Waits for the permits of a verdict, if it allows later.
	 * @param waited called after the wait with its duration
	 * @param refund called if the thread is interrupted
	 * @throws CancellationException if the thread is interrupted
	 */
	void await(Verdict verdict, Consumer<Duration> waited, Runnable refund) {
		Duration time = verdict.timeToAct();
		if (!verdict.allowed() || time.isZero()) {
			return;
		}
		try {
			this.sleeper.sleep(time);
			waited.accept(time);
		}
		catch (InterruptedException ex) {
			refund.run();
			Thread.currentThread().interrupt();
			CancellationException canceled = new CancellationException("Interrupted while waiting for permits");
			canceled.initCause(ex);
			throw canceled;
		}
		finally {
			this.slots.release();
		}
	}

}
