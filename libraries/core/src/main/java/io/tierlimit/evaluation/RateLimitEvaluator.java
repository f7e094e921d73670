package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.tierlimit.RuleDecision;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overrun;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;

/**
 * Checks a caller against rules: creates a charge for every rule that applies, passes all
 * charges to the store in a single call, and creates the verdict.
 */
public final class RateLimitEvaluator {

	private static final int MAX_SYNC_ATTEMPTS = 5;

	private final BucketStore store;

	private final VerdictPublisher publisher;

	private final WaitQueue waitQueue;

	private final Metering metering;

	private final OnceLogger warnings = new OnceLogger(RateLimitEvaluator.class);

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
		this.store = store;
		this.publisher = publisher;
		this.waitQueue = waitQueue;
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
					: decideWithoutWaiting(resolution.ruleCharges(), new StoreFailureFlag());
		});
	}

	/** Stores the buckets. */
	BucketStore store() {
		return this.store;
	}

	/** Begins the wait of a request; {@code null} if the verdict is final. */
	@Nullable ReleaseWait waitForRelease(Verdict verdict) {
		return verdict.allowed() ? null : ReleaseWait.begin(this.waitQueue, verdict);
	}

	WaitQueue waitQueue() {
		return this.waitQueue;
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
	 * Decides charges, all or nothing. A request whose permits are available later gets a
	 * slot in the wait queue.
	 */
	Verdict acquire(List<RuleCharge> ruleCharges, StoreFailureFlag failureFlag) {
		return acquire(ruleCharges, failureFlag, null);
	}

	/**
	 * Decides charges, all or nothing, for the first time or in a turn of a request that
	 * waits until permits in use are released. A request for which others wait first is
	 * rejected.
	 * @param wait the wait of the request; {@code null} for a new request
	 */
	Verdict acquire(List<RuleCharge> ruleCharges, StoreFailureFlag failureFlag, @Nullable ReleaseWait wait) {
		if (ruleCharges.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		Set<BucketKey> waitedFor = this.waitQueue.releases()
			.waitedFor(ruleCharges, (wait != null) ? wait.waiter() : null);
		List<RuleCharge> charges = (wait != null) ? wait.countedOnce(ruleCharges) : ruleCharges;
		Verdict behind = waitedFor.isEmpty() ? null : decideBehind(charges, waitedFor, failureFlag);
		if (behind != null) {
			return behind;
		}
		return (wait != null) ? decide(charges, failureFlag) : decideOrWait(charges, failureFlag);
	}

	/**
	 * Rejects a request, because other requests wait for the same permits. If another
	 * rule would reject the request, that rule decides. Returns {@code null} if the store
	 * cannot be reached: then requests are not ordered.
	 * <p>
	 * The store decides all charges in one call, so that rejections are counted and
	 * cached. Nothing is acquired, because the charges for which others wait exceed their
	 * limits.
	 */
	private @Nullable Verdict decideBehind(List<RuleCharge> ruleCharges, Set<BucketKey> waitedFor,
			StoreFailureFlag failureFlag) {
		List<RuleDecision> rejections = rejections(ruleCharges);
		if (!rejections.isEmpty()) {
			return new Verdict(Outcome.REJECTED, rejections);
		}
		List<RuleCharge> impossible = ruleCharges.stream()
			.map((ruleCharge) -> isBehind(ruleCharge, waitedFor) ? ruleCharge.aboveCapacity() : ruleCharge)
			.toList();
		AcquireResult result = this.store.acquire(Collections.unmodifiableList(impossible), failureFlag);
		if (result.source() == Source.NONE) {
			return verdict(impossible, result);
		}
		if (result.admitted() || result.source() == Source.FALLBACK) {
			refundUnordered(verdict(ruleCharges, result), failureFlag);
			return null;
		}
		return verdictBehind(ruleCharges, waitedFor, result);
	}

	/** Refunds what was acquired while the store cannot be reached. */
	private void refundUnordered(Verdict verdict, StoreFailureFlag failureFlag) {
		if (verdict.allowed()) {
			recordHeld(verdict.decisions());
			refund(verdict.decisions().stream().map(ChargeDecision::of).toList(), failureFlag);
		}
	}

	private Verdict verdictBehind(List<RuleCharge> ruleCharges, Set<BucketKey> waitedFor, AcquireResult result) {
		List<@Nullable Decision> decisions = new ArrayList<>(result.decisions());
		for (int i = 0; i < decisions.size(); i++) {
			Decision decision = decisions.get(i);
			if (decision != null && isBehind(ruleCharges.get(i), waitedFor)) {
				decisions.set(i, ruleCharges.get(i).behindWaiting(decision));
			}
		}
		Verdict verdict = verdict(ruleCharges, new AcquireResult(false, decisions, result.charges()));
		List<RuleDecision> others = verdict.decisions()
			.stream()
			.filter((decision) -> !isBehind(ChargeDecision.of(decision).ruleCharge(), waitedFor))
			.toList();
		boolean rejectedByOthers = others.stream()
			.anyMatch(
					(decision) -> decision.violated() && !ChargeDecision.of(decision).ruleCharge().canWaitForRelease());
		return rejectedByOthers ? new Verdict(Outcome.REJECTED, others) : verdict;
	}

	private static boolean isBehind(RuleCharge ruleCharge, Set<BucketKey> waitedFor) {
		return ruleCharge.holdsPermits() && !ruleCharge.shadow() && waitedFor.contains(ruleCharge.key());
	}

	private Verdict decideOrWait(List<RuleCharge> ruleCharges, StoreFailureFlag failureFlag) {
		if (!this.waitQueue.hasSlots() || (!this.waitQueue.hasRoom() && !mayBan(ruleCharges))
				|| isExceeded(ruleCharges)) {
			return decideWithoutWaiting(ruleCharges, failureFlag);
		}
		Verdict verdict = decide(ruleCharges, failureFlag);
		if (!verdict.allowed() || verdict.delay().isZero() || this.waitQueue.enter(verdict)) {
			return verdict;
		}
		refund(verdict.decisions().stream().map(ChargeDecision::of).toList(), failureFlag);
		return decideWithoutSlot(ruleCharges, verdict, failureFlag);
	}

	/**
	 * Decides charges again, without waiting, because the wait queue has no slot.
	 * Rejections by rules in shadow mode are kept, since they were already counted.
	 */
	private Verdict decideWithoutSlot(List<RuleCharge> ruleCharges, Verdict delayed, StoreFailureFlag failureFlag) {
		List<RuleDecision> rejected = delayed.decisions()
			.stream()
			.filter((decision) -> !decision.decision().allowed())
			.toList();
		List<RuleCharge> decided = rejected.stream()
			.map((decision) -> ChargeDecision.of(decision).ruleCharge())
			.toList();
		Verdict verdict = decide(ruleCharges.stream()
			.filter((ruleCharge) -> !decided.contains(ruleCharge))
			.map(RuleCharge::withoutSlot)
			.toList(), failureFlag);
		if (rejected.isEmpty()) {
			return verdict;
		}
		List<String> order = ruleCharges.stream().map((ruleCharge) -> ruleCharge.rule().id()).toList();
		List<RuleDecision> decisions = new ArrayList<>(verdict.decisions());
		decisions.addAll(rejected);
		decisions.sort(Comparator.comparingInt((decision) -> order.indexOf(decision.rule())));
		return new Verdict(verdict.outcome(), decisions, verdict.undecided());
	}

	private boolean isExceeded(List<RuleCharge> ruleCharges) {
		for (RuleCharge ruleCharge : ruleCharges) {
			if (ruleCharge.canWait() && this.waitQueue.isExceeded(ruleCharge)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether a rejection may be counted for a ban. If so, the charges must be decided
	 * first as if there were a slot: a rejection only for lack of a slot is not counted.
	 */
	private static boolean mayBan(List<RuleCharge> ruleCharges) {
		for (RuleCharge ruleCharge : ruleCharges) {
			if (ruleCharge.canWait() && ruleCharge.options().countsRejections()) {
				return true;
			}
		}
		return false;
	}

	private Verdict decideWithoutWaiting(List<RuleCharge> ruleCharges, StoreFailureFlag failureFlag) {
		boolean canWait = false;
		for (RuleCharge ruleCharge : ruleCharges) {
			canWait |= ruleCharge.canWait();
		}
		return decide(canWait ? ruleCharges.stream().map(RuleCharge::withoutWaiting).toList() : ruleCharges,
				failureFlag);
	}

	private Verdict decide(List<RuleCharge> ruleCharges, StoreFailureFlag failureFlag) {
		if (ruleCharges.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		List<RuleDecision> rejections = rejections(ruleCharges);
		if (!rejections.isEmpty()) {
			return new Verdict(Outcome.REJECTED, rejections);
		}
		Verdict verdict = verdict(ruleCharges,
				this.store.acquire(Collections.unmodifiableList(ruleCharges), failureFlag));
		if (verdict.allowed()) {
			recordHeld(verdict.decisions());
		}
		return verdict;
	}

	private static void recordHeld(List<RuleDecision> decisions) {
		for (int i = 0; i < decisions.size(); i++) {
			ChargeDecision decision = ChargeDecision.of(decisions.get(i));
			if (decision.isHeld()) {
				decision.ruleCharge().ruleOptions().held(decision.cost());
			}
		}
	}

	/** The rejections if the caller is blocked; the store is not called for them. */
	private static List<RuleDecision> rejections(List<RuleCharge> ruleCharges) {
		List<RuleDecision> rejections = List.of();
		for (RuleCharge ruleCharge : ruleCharges) {
			ChargeDecision rejection = ruleCharge.rejection();
			if (rejection != null) {
				rejections = rejections.isEmpty() ? new ArrayList<>() : rejections;
				rejections.add(rejection);
			}
		}
		return rejections;
	}

	/**
	 * Refunds the permits of a verdict to the buckets that were charged. The verdict of a
	 * peek has no receipts, so nothing is refunded.
	 */
	void refund(Verdict verdict) {
		if (verdict.allowed()) {
			refund(verdict.decisions()
				.stream()
				.map(ChargeDecision::of)
				.filter((decision) -> decision.charge().receipt() != null)
				.toList(), new StoreFailureFlag());
		}
	}

	/** Releases the permits that a verdict holds. Consumed permits are not refunded. */
	void release(Verdict verdict) {
		refund(held(verdict), new StoreFailureFlag());
	}

	/** The decisions of a verdict that hold permits, released or not. */
	static List<ChargeDecision> held(Verdict verdict) {
		List<ChargeDecision> held = List.of();
		for (int i = 0; i < verdict.decisions().size(); i++) {
			ChargeDecision decision = ChargeDecision.of(verdict.decisions().get(i));
			if (decision.isHeld()) {
				held = held.isEmpty() ? new ArrayList<>() : held;
				held.add(decision);
			}
		}
		return held;
	}

	/**
	 * Refunds the permits of decisions that were made together. Permits that are held are
	 * released once.
	 */
	void refund(List<ChargeDecision> decisions, StoreFailureFlag failureFlag) {
		settle(refunds(decisions), failureFlag);
	}

	/** Begins the refunds of decisions. Each decision is refunded once. */
	static List<CostChange> refunds(List<ChargeDecision> decisions) {
		List<CostChange> refunds = new ArrayList<>(decisions.size());
		for (ChargeDecision decision : decisions) {
			if (decision.beginRefund()) {
				refunds.add(CostChange.of(decision, 0, 0));
				if (decision.isHeld()) {
					decision.ruleCharge().ruleOptions().held(-decision.cost());
				}
			}
		}
		return refunds;
	}

	/** Changes the costs of charges in one call to the store. */
	void settle(List<CostChange> changes, StoreFailureFlag failureFlag) {
		if (changes.isEmpty()) {
			return;
		}
		List<Overrun> overruns = this.store.settle(changes.stream().map(CostChange::settlement).toList(), failureFlag);
		for (int i = 0; i < overruns.size(); i++) {
			changes.get(i).recordDropped(overruns.get(i));
		}
		for (CostChange change : changes) {
			if (change.decision().isHeld()) {
				this.waitQueue.releases().released(change.decision().ruleCharge().key());
			}
		}
	}

	/** Consumes what code has metered. */
	Metering metering() {
		return this.metering;
	}

	/**
	 * Consumes refunded permits again, from each bucket separately. Rules with
	 * conditional charges are skipped, since the end of the request does not settle these
	 * charges.
	 */
	void chargeAgain(List<ChargeDecision> refunded, StoreFailureFlag failureFlag) {
		for (ChargeDecision decision : refunded) {
			if (!decision.local() && decision.decision().allowed() && !decision.ruleCharge().isConditional()) {
				this.store.acquire(List.of(decision.charge().withoutBan()), failureFlag);
			}
		}
	}

	/** Decides the permit requests of code. */
	Verdict acquire(List<RuleCharge> ruleCharges) {
		if (ruleCharges.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		Verdict verdict = observe(() -> decide(ruleCharges, new StoreFailureFlag()));
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
			Verdict verdict = acquire(ruleCharges, new StoreFailureFlag());
			wait.set(ReleaseWait.begin(this.waitQueue, verdict));
			return (wait.get() != null) ? Verdict.UNLIMITED : verdict;
		});
		ReleaseWait begun = wait.get();
		Verdict verdict = (begun != null) ? awaitRelease(begun, charges) : first;
		this.waitQueue.await(verdict, (time) -> {
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
				Verdict verdict = acquire(charges.get(), new StoreFailureFlag(), wait);
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
		List<ChargeDecision> now = peek(
				verdict.decisions().stream().map((decision) -> ChargeDecision.of(decision).ruleCharge()).toList());
		boolean lowered = now.stream()
			.filter((decision) -> !decision.shadow())
			.anyMatch((decision) -> ReportedLevel.isPaused(decision, decision.ruleCharge().chargeOptions()));
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
				lowered = difference == null
						|| this.store.acquire(List.of(difference), new StoreFailureFlag()).admitted();
			}
		}
	}

	void add(List<RuleCharge> ruleCharges) {
		this.store.refund(Collections.unmodifiableList(ruleCharges), new StoreFailureFlag());
	}

	/** Reads the state of each bucket on its own. */
	List<ChargeDecision> peek(List<RuleCharge> ruleCharges) {
		if (ruleCharges.isEmpty()) {
			return List.of();
		}
		return verdict(ruleCharges, this.store.peek(Collections.unmodifiableList(ruleCharges))).decisions()
			.stream()
			.map(ChargeDecision::of)
			.map((decision) -> Objects.requireNonNullElse(decision.ruleCharge().rejection(), decision))
			.toList();
	}

	private Verdict verdict(List<RuleCharge> ruleCharges, AcquireResult result) {
		if (result.source() == Source.NONE) {
			List<UndecidedRule> denied = new ArrayList<>();
			for (RuleCharge ruleCharge : ruleCharges) {
				if (result.charges().contains(ruleCharge)) {
					denied.add(new UndecidedCharge(ruleCharge, true));
				}
			}
			return new Verdict(Outcome.UNAVAILABLE, List.of(), denied);
		}
		RuleDecision[] decisions = new RuleDecision[ruleCharges.size()];
		List<UndecidedRule> undecided = List.of();
		int decided = 0;
		for (int i = 0; i < decisions.length; i++) {
			Decision decision = result.decision(i);
			if (decision != null) {
				ChargeDecision charge = ChargeDecision.of(ruleCharges.get(i), result, i, decision);
				decisions[decided++] = charge;
				warnIfUnsatisfiable(charge);
			}
			else if (result.source() == Source.FALLBACK) {
				undecided = undecided.isEmpty() ? new ArrayList<>() : undecided;
				undecided.add(new UndecidedCharge(ruleCharges.get(i), false));
			}
		}
		return new Verdict(result.admitted() ? Outcome.ALLOWED : Outcome.REJECTED,
				List.of((decided == decisions.length) ? decisions : Arrays.copyOf(decisions, decided)), undecided);
	}

	private void warnIfUnsatisfiable(ChargeDecision charge) {
		// While the store is unavailable, the capacity may be a share of the capacity of
		// the rule.
		if (charge.decision().neverAllowed() && !charge.local()) {
			this.warnings.warn("Rule '" + charge.rule() + "': a request whose cost exceeds the capacity of "
					+ charge.limit().capacity() + " can never be allowed");
		}
	}

}
