package io.tierlimit.evaluation;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates requests and the permit requests of code: decides them within the observer,
 * waits for the permits of code, and notifies listeners.
 */
public final class RateLimitEvaluator {

	private static final int MAX_SYNC_ATTEMPTS = 5;

	private final Admission admission;

	private final VerdictPublisher publisher;

	private final Metering metering;

	/**
	 * Creates an evaluator.
	 * @param store stores the buckets
	 * @param publisher notifies observers and listeners
	 * @param waitQueue the queue of requests that wait for permits
	 */
	public RateLimitEvaluator(BucketStore store, VerdictPublisher publisher, WaitQueue waitQueue) {
		this(store, publisher, waitQueue, new Metering(store));
	}

	RateLimitEvaluator(BucketStore store, VerdictPublisher publisher, WaitQueue waitQueue, Metering metering) {
		this.admission = new Admission(
				new RuleBuckets(store, waitQueue.releases(), new OnceLogger(RateLimitEvaluator.class)), waitQueue);
		this.publisher = publisher;
		this.metering = metering;
	}

	/**
	 * Creates an evaluator without listeners and without a wait queue.
	 * @param store stores the buckets
	 */
	public RateLimitEvaluator(BucketStore store) {
		this(store, VerdictPublisher.NONE, WaitQueue.NONE);
	}

	/**
	 * Evaluates a request without waiting and without a transaction.
	 * @param matched the rules that apply to the request, each at most once
	 * @param caller the caller
	 * @return the verdict; nothing is charged unless it allows the request
	 */
	public Verdict evaluate(List<MatchedRule> matched, Caller caller) {
		if (matched.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		return observe(() -> {
			Resolution resolution = Resolution.of(matched, caller);
			return (resolution.rejection() != null) ? resolution.rejection()
					: this.admission.acquireWithoutWaiting(resolution.ruleCharges(), new StoreFailureFlag());
		});
	}

	/** Stores the buckets. */
	BucketStore store() {
		return buckets().store();
	}

	/** Decides charges, and changes the costs of charges that were decided. */
	RuleBuckets buckets() {
		return this.admission.buckets();
	}

	/** Decides charges of requests that may wait. */
	Admission admission() {
		return this.admission;
	}

	/** Consumes what code has metered. */
	Metering metering() {
		return this.metering;
	}

	/** Runs an evaluation within the observer. */
	Verdict observe(Supplier<Verdict> evaluation) {
		return this.publisher.observe(evaluation);
	}

	/** Notifies listeners of the verdict on a request or a call. */
	void publish(Verdict verdict, Caller caller) {
		this.publisher.publish(verdict, caller);
	}

	/**
	 * Refunds the permits of a verdict to the buckets that were charged. The verdict of a
	 * peek has no receipts, so nothing is refunded.
	 */
	void refund(Verdict verdict) {
		if (verdict.allowed()) {
			buckets().refund(ChargeDecision.of(verdict)
				.stream()
				.filter((decision) -> decision.charge().receipt() != null)
				.toList(), new StoreFailureFlag());
		}
	}

	/** Releases the permits that a verdict holds. Consumed permits are not refunded. */
	void release(Verdict verdict) {
		buckets().refund(ChargeDecision.held(verdict), new StoreFailureFlag());
	}

	/** Changes the costs of charges in one call to the store. */
	void settle(List<CostChange> changes, StoreFailureFlag failureFlag) {
		buckets().settle(changes, failureFlag);
	}

	/** Decides the permit requests of code. */
	Verdict acquire(List<RuleCharge> ruleCharges) {
		if (ruleCharges.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		Verdict verdict = observe(() -> buckets().acquire(ruleCharges, new StoreFailureFlag()));
		publish(verdict, Caller.UNKNOWN);
		return verdict;
	}

	/**
	 * Decides the permit requests of code, and waits for the permits.
	 * @param charges supplies the current charges of the requests, whenever they are
	 * decided
	 */
	Verdict await(Supplier<List<RuleCharge>> charges) {
		List<RuleCharge> ruleCharges = charges.get();
		if (ruleCharges.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		AtomicReference<@Nullable ReleaseWait> wait = new AtomicReference<>();
		Verdict first = observe(() -> {
			Verdict verdict = this.admission.acquire(ruleCharges, new StoreFailureFlag(), null);
			wait.set(ReleaseWait.begin(this.admission.queue(), verdict));
			// A call that must wait is not rejected yet.
			return (wait.get() != null) ? Verdict.UNLIMITED : verdict;
		});
		ReleaseWait begun = wait.get();
		Verdict verdict = (begun != null) ? awaitRelease(begun, charges) : first;
		this.admission.queue().await(verdict, (time) -> {
		}, () -> refund(verdict));
		Verdict waited = verdict.delay().isZero() ? verdict : verdictAfterWait(verdict);
		if (!waited.allowed()) {
			release(verdict);
		}
		publish(waited, Caller.UNKNOWN);
		return waited;
	}

	private Verdict awaitRelease(ReleaseWait wait, Supplier<List<RuleCharge>> charges) {
		try {
			Verdict decided = wait.await(() -> {
				Verdict verdict = this.admission.acquire(charges.get(), new StoreFailureFlag(), wait);
				return wait.continuesAfter(verdict) ? null : verdict;
			});
			Verdict last = (decided != null) ? decided : wait.rejection();
			return observe(() -> last);
		}
		catch (InterruptedException ex) {
			throw WaitQueue.canceled(ex);
		}
	}

	/**
	 * Rejects a call whose bucket was lowered during the wait. Its permits are not
	 * refunded, because the lowered level includes them.
	 */
	private Verdict verdictAfterWait(Verdict verdict) {
		List<ChargeDecision> now = peek(ChargeDecision.of(verdict).stream().map(ChargeDecision::ruleCharge).toList());
		boolean lowered = now.stream()
			.filter((decision) -> !decision.shadow())
			.anyMatch((decision) -> ReportedLevel.isPaused(decision, decision.ruleCharge().compiled().chargeOptions()));
		return lowered ? new Verdict(Outcome.REJECTED, List.copyOf(now)) : verdict;
	}

	/**
	 * Consumes permits until the level of a bucket is not above the reported level. If
	 * another call changes the level in the meantime and the charge is rejected, the
	 * difference is calculated again.
	 */
	void syncRemaining(RuleCharge ruleCharge, ReportedLevel level) {
		boolean lowered = false;
		for (int attempt = 0; attempt < MAX_SYNC_ATTEMPTS && !lowered; attempt++) {
			lowered = true;
			for (ChargeDecision now : peek(List.of(ruleCharge))) {
				Charge difference = level.difference(ruleCharge, now);
				lowered = difference == null || store().acquire(List.of(difference), new StoreFailureFlag()).admitted();
			}
		}
	}

	/** Adds permits to buckets. */
	void add(List<RuleCharge> ruleCharges) {
		store().refund(Collections.unmodifiableList(ruleCharges), new StoreFailureFlag());
	}

	/** Reads the state of each bucket on its own. */
	List<ChargeDecision> peek(List<RuleCharge> ruleCharges) {
		return buckets().peek(ruleCharges);
	}

}
