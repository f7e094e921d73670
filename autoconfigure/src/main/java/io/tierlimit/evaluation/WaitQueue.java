package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.spi.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * The queue of requests and calls that wait for reserved permits ({@code max-wait}). The
 * evaluator takes a slot for a request that must wait, and rejects the request if no slot
 * is free. The thread of the request waits in {@link #await}, which releases the slot.
 * <p>
 * The requests that wait for the bucket of one caller occupy at most a tenth of the
 * slots, and at least one, so that a few callers do not occupy all of them.
 */
public final class WaitQueue {

	/** A queue without slots: no request can wait. */
	public static final WaitQueue NONE = new WaitQueue(0, Sleeper.system());

	private static final int CALLERS = 10;

	private final int size;

	private final Semaphore slots;

	/** The number of requests that wait for each bucket of a caller. */
	private final ConcurrentMap<BucketKey, Integer> waiting = new ConcurrentHashMap<>();

	private final Sleeper sleeper;

	/**
	 * Creates a queue.
	 * @param slots how many requests can wait at the same time, 0 or more
	 * @param sleeper suspends the waiting threads
	 */
	public WaitQueue(int slots, Sleeper sleeper) {
		this.size = slots;
		this.slots = new Semaphore(slots);
		this.sleeper = sleeper;
	}

	/** Whether requests can wait at all. */
	boolean hasSlots() {
		return this.size > 0;
	}

	/** Whether there is a free slot now; another thread may take it first. */
	boolean hasRoom() {
		return this.slots.availablePermits() > 0;
	}

	/** Takes a slot for a verdict that allows later. {@link #await} releases it. */
	boolean enter(Verdict verdict) {
		if (!this.slots.tryAcquire()) {
			return false;
		}
		BucketKey key = bucketOfCaller(verdict);
		if (key != null && this.waiting.merge(key, 1, Integer::sum) > Math.max(1, this.size / CALLERS)) {
			leave(verdict);
			return false;
		}
		return true;
	}

	private void leave(Verdict verdict) {
		BucketKey key = bucketOfCaller(verdict);
		if (key != null) {
			this.waiting.computeIfPresent(key, (waitedFor, count) -> (count > 1) ? count - 1 : null);
		}
		this.slots.release();
	}

	/**
	 * The bucket with the longest wait; {@code null} if it is not that of one caller.
	 */
	private static @Nullable BucketKey bucketOfCaller(Verdict verdict) {
		RuleDecision longest = null;
		for (RuleDecision decision : verdict.decisions()) {
			if (!decision.shadow() && (longest == null
					|| decision.decision().timeToActTicks() > longest.decision().timeToActTicks())) {
				longest = decision;
			}
		}
		ChargeDecision charged = (longest != null) ? ChargeDecision.of(longest) : null;
		return (charged != null && charged.ruleCharge().isPerCaller()) ? charged.ruleCharge().key() : null;
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
			leave(verdict);
		}
	}

}
