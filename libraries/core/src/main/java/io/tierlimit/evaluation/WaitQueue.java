package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.store.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * The slots of requests and calls that wait for reserved permits, or until permits in use
 * are released ({@code max-wait}). {@link Admission} acquires a slot for a request that
 * must wait, and rejects the request if no slot is free. The thread of the request waits
 * for reserved permits in {@link #await}, which releases the slot. A {@link ReleaseWait}
 * waits for permits in use, and releases its slot at its end.
 * <p>
 * The requests that wait for the bucket of one caller occupy at most a tenth of the
 * slots, and at least one, so that a few callers do not occupy all slots. The requests
 * that wait for the release of permits of a shared bucket occupy at most half of the
 * slots, so that the callers of one rule do not occupy all slots.
 */
public final class WaitQueue {

	/** A queue without slots: no request can wait. */
	public static final WaitQueue NONE = new WaitQueue(0, Sleeper.system());

	private static final int CALLERS = 10;

	private final int size;

	private final Semaphore slots;

	/** The buckets with requests that wait. */
	private final ConcurrentMap<BucketKey, Waiting> waiting = new ConcurrentHashMap<>();

	private final Sleeper sleeper;

	private final ReleaseQueue releases;

	/**
	 * Creates a queue.
	 * @param slots how many requests can wait at the same time, 0 or more
	 * @param sleeper suspends the waiting threads
	 */
	public WaitQueue(int slots, Sleeper sleeper) {
		this.size = slots;
		this.slots = new Semaphore(slots);
		this.sleeper = sleeper;
		this.releases = new ReleaseQueue(sleeper);
	}

	/** The requests that wait until permits in use are released. */
	ReleaseQueue releases() {
		return this.releases;
	}

	/** Whether requests can wait at all. */
	boolean hasSlots() {
		return this.size > 0;
	}

	/** Whether there is a free slot now; another thread may take it first. */
	boolean hasRoom() {
		return this.slots.availablePermits() > 0;
	}

	/**
	 * Acquires a slot for a request whose permits are available later. {@link #await}
	 * releases the slot.
	 */
	boolean enter(Verdict verdict) {
		return enter(chargeOfCaller(verdict));
	}

	/**
	 * Acquires a slot. {@link #leave} releases it.
	 * @param charge the charge whose permits the request waits for; {@code null} if the
	 * slots of its bucket are not bounded
	 */
	boolean enter(@Nullable RuleCharge charge) {
		if (charge == null) {
			return this.slots.tryAcquire();
		}
		AtomicBoolean entered = new AtomicBoolean();
		this.waiting.compute(charge.key(), (key, known) -> {
			Waiting before = (known != null) ? known : Waiting.NONE;
			if (before.requests >= slots(charge)) {
				return new Waiting(before.requests, before.rejected + charge.cost());
			}
			entered.set(this.slots.tryAcquire());
			return entered.get() ? new Waiting(before.requests + 1, before.rejected) : known;
		});
		return entered.get();
	}

	private int slots(RuleCharge charge) {
		return charge.isPerCaller() ? Math.max(1, this.size / CALLERS) : this.size - this.size / 2;
	}

	/**
	 * Whether the requests for a bucket occupy their share of the slots, and more further
	 * requests have arrived since than could have waited with any number of slots.
	 */
	boolean isExceeded(RuleCharge charge) {
		Waiting known = this.waiting.get(charge.key());
		return known != null && known.requests >= slots(charge) && known.rejected >= charge.reservable();
	}

	/** Releases a slot. */
	void leave(@Nullable RuleCharge charge) {
		uncount(charge);
		this.slots.release();
	}

	private void uncount(@Nullable RuleCharge charge) {
		if (charge != null) {
			this.waiting.computeIfPresent(charge.key(), (key, known) -> (known.requests == 1) ? null
					: new Waiting(known.requests - 1, Math.max(0, known.rejected - charge.cost())));
		}
	}

	/**
	 * Keeps the slot of a request that has waited for permits in use, and that now waits
	 * for the reserved permits of a verdict.
	 */
	void keepSlot(@Nullable RuleCharge charge, Verdict delayed) {
		RuleCharge next = chargeOfCaller(delayed);
		if (next != null) {
			this.waiting.merge(next.key(), new Waiting(1, 0),
					(known, added) -> new Waiting(known.requests + 1, known.rejected));
		}
		uncount(charge);
	}

	/**
	 * The charge with the longest wait; {@code null} if its bucket is shared by several
	 * callers.
	 */
	private static @Nullable RuleCharge chargeOfCaller(Verdict verdict) {
		RuleDecision longest = null;
		for (RuleDecision decision : verdict.decisions()) {
			if (!decision.shadow()
					&& (longest == null || decision.decision().delayTicks() > longest.decision().delayTicks())) {
				longest = decision;
			}
		}
		RuleCharge charge = (longest != null) ? ChargeDecision.of(longest).ruleCharge() : null;
		return (charge != null && charge.isPerCaller()) ? charge : null;
	}

	/**
	 * Waits for the permits of a verdict if they are not available yet.
	 * @param waited called after the wait with its duration
	 * @param refund called if the thread is interrupted
	 * @throws CancellationException if the thread is interrupted
	 */
	void await(Verdict verdict, Consumer<Duration> waited, Runnable refund) {
		Duration time = verdict.delay();
		if (!verdict.allowed() || time.isZero()) {
			return;
		}
		try {
			this.sleeper.sleep(time);
			waited.accept(time);
		}
		catch (InterruptedException ex) {
			refund.run();
			throw canceled(ex);
		}
		finally {
			leave(chargeOfCaller(verdict));
		}
	}

	/** The exception for an interrupted wait. Sets the interrupt status again. */
	static CancellationException canceled(InterruptedException cause) {
		Thread.currentThread().interrupt();
		CancellationException canceled = new CancellationException("Interrupted while waiting for permits");
		canceled.initCause(cause);
		return canceled;
	}

	/**
	 * The requests for one bucket.
	 *
	 * @param requests the number of requests that wait
	 * @param rejected the permits of requests that found no slot since the waiting
	 * requests occupy their share
	 */
	private record Waiting(int requests, long rejected) {

		private static final Waiting NONE = new Waiting(0, 0);

	}

}
