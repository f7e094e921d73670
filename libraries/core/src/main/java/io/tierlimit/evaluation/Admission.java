package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.limit.Decision;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;

/**
 * The order in which requests acquire permits if some of them wait. A request whose
 * permits are available later needs a slot in the wait queue. A request is rejected
 * behind others that wait until the same permits are released.
 *
 * @param buckets decides the charges
 * @param queue the requests that wait
 */
record Admission(RuleBuckets buckets, WaitQueue queue) {

	/**
	 * Decides charges, all or nothing, for the first time or in a turn of a request that
	 * waits until permits in use are released. A request is rejected if others have
	 * waited for the same permits before. A request whose permits are available later
	 * gets a slot in the wait queue.
	 * @param wait the wait of the request; {@code null} for a new request
	 */
	Verdict acquire(List<RuleCharge> ruleCharges, StoreFailureFlag failureFlag, @Nullable ReleaseWait wait) {
		if (ruleCharges.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		Set<BucketKey> waitedFor = this.queue.releases().waitedFor(ruleCharges, (wait != null) ? wait.waiter() : null);
		List<RuleCharge> charges = (wait != null) ? wait.countedOnce(ruleCharges) : ruleCharges;
		Verdict behind = waitedFor.isEmpty() ? null : decideBehind(charges, waitedFor, failureFlag);
		if (behind != null) {
			return behind;
		}
		return (wait != null) ? this.buckets.acquire(charges, failureFlag) : decideOrWait(charges, failureFlag);
	}

	/**
	 * Rejects a request, because other requests wait for the same permits. If another
	 * rule would reject the request, that rule decides. Returns {@code null} if local
	 * buckets decide, because the store cannot be reached: then requests are not ordered.
	 * <p>
	 * The store decides all charges in one call, so that rejections are counted and
	 * cached. Nothing is acquired, because the charges for which others wait are raised
	 * above their capacity.
	 */
	private @Nullable Verdict decideBehind(List<RuleCharge> ruleCharges, Set<BucketKey> waitedFor,
			StoreFailureFlag failureFlag) {
		Verdict blocked = RuleBuckets.blocked(ruleCharges);
		if (blocked != null) {
			return blocked;
		}
		List<RuleCharge> impossible = ruleCharges.stream()
			.map((ruleCharge) -> isBehind(ruleCharge, waitedFor) ? ruleCharge.aboveCapacity() : ruleCharge)
			.toList();
		AcquireResult result = this.buckets.store().acquire(Collections.unmodifiableList(impossible), failureFlag);
		if (result.source() == Source.NONE) {
			return this.buckets.verdict(impossible, result);
		}
		if (result.admitted() || result.source() == Source.FALLBACK) {
			refundUnordered(this.buckets.verdict(ruleCharges, result), failureFlag);
			return null;
		}
		return verdictBehind(ruleCharges, waitedFor, result);
	}

	/** Refunds what was acquired while the store cannot be reached. */
	private void refundUnordered(Verdict verdict, StoreFailureFlag failureFlag) {
		if (verdict.allowed()) {
			// The refund subtracts what is recorded.
			this.buckets.recordHeld(verdict);
			this.buckets.refund(ChargeDecision.of(verdict), failureFlag);
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
		Verdict verdict = this.buckets.verdict(ruleCharges, new AcquireResult(false, decisions, result.charges()));
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
		if (!this.queue.hasSlots() || (!this.queue.hasRoom() && !mayBan(ruleCharges)) || isExceeded(ruleCharges)) {
			return acquireWithoutWaiting(ruleCharges, failureFlag);
		}
		Verdict verdict = this.buckets.acquire(ruleCharges, failureFlag);
		if (!verdict.allowed() || verdict.delay().isZero() || this.queue.enter(verdict)) {
			return verdict;
		}
		this.buckets.refund(ChargeDecision.of(verdict), failureFlag);
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
		Verdict verdict = this.buckets.acquire(ruleCharges.stream()
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
			if (ruleCharge.canWait() && this.queue.isExceeded(ruleCharge)) {
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
		return ruleCharges.stream()
			.anyMatch((ruleCharge) -> ruleCharge.canWait() && ruleCharge.options().countsRejections());
	}

	/** Decides charges, all or nothing, for a request that cannot wait. */
	Verdict acquireWithoutWaiting(List<RuleCharge> ruleCharges, StoreFailureFlag failureFlag) {
		boolean canWait = false;
		for (RuleCharge ruleCharge : ruleCharges) {
			canWait |= ruleCharge.canWait();
		}
		return this.buckets.acquire(
				canWait ? ruleCharges.stream().map(RuleCharge::withoutWaiting).toList() : ruleCharges, failureFlag);
	}

}
