package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.ReleaseQueue.Waiter;
import io.tierlimit.store.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * The wait of one request until other requests release permits in use. The request has a
 * slot in the wait queue, but no permits. In each of its turns it is decided again.
 * <p>
 * A request waits only while every violated rule has {@code algorithm: concurrency} and
 * time left for a wait. Rates are decided together with the permits in use: if a rate has
 * {@code max-wait}, and its permits are available later, the request acquires all
 * permits, and then waits for the rate.
 */
final class ReleaseWait {

	private final WaitQueue queue;

	/** The charge that the slot belongs to. */
	private final RuleCharge slot;

	private final Waiter waiter;

	/**
	 * The rules in shadow mode whose violation was counted. They count it once for each
	 * request.
	 */
	private final Set<String> counted = new HashSet<>();

	/** The last verdict, which rejects the request. */
	private Verdict rejection;

	/** The maximum time of the wait, as of the last verdict. */
	private Duration most;

	/** The time from the begin of the wait to the last verdict. */
	private Duration decidedAfter = Duration.ZERO;

	private ReleaseWait(WaitQueue queue, RuleCharge slot, List<RuleCharge> missing, Verdict rejection) {
		this.queue = queue;
		this.slot = slot;
		this.waiter = queue.releases().enter(keys(missing));
		this.rejection = rejection;
		this.most = most(missing);
		count(rejection);
	}

	/**
	 * Begins the wait of a request that was decided for the first time.
	 * @return the wait; {@code null} if the request is allowed, if another rule rejects
	 * it, or if there is no slot
	 */
	static @Nullable ReleaseWait begin(WaitQueue queue, Verdict verdict) {
		List<RuleCharge> missing = missing(verdict, Duration.ZERO);
		if (missing.isEmpty()) {
			return null;
		}
		RuleCharge slot = missing.stream().filter(RuleCharge::isPerCaller).findFirst().orElse(missing.get(0));
		return queue.enter(slot) ? new ReleaseWait(queue, slot, missing, verdict) : null;
	}

	/**
	 * The charges that a rejected request may still wait for; empty if the request is
	 * allowed, or if a rule rejects it without a further wait.
	 */
	private static List<RuleCharge> missing(Verdict verdict, Duration waited) {
		if (verdict.outcome() != Outcome.REJECTED) {
			return List.of();
		}
		List<RuleCharge> missing = new ArrayList<>();
		for (RuleDecision decision : verdict.decisions()) {
			if (decision.violated()) {
				RuleCharge charge = ChargeDecision.of(decision).ruleCharge();
				if (!charge.canWaitForRelease() || decision.decision().neverAllowed() || decision.decision().blocked()
						|| charge.maxWait().compareTo(waited) <= 0) {
					return List.of();
				}
				missing.add(charge);
			}
		}
		return missing;
	}

	private static Set<BucketKey> keys(List<RuleCharge> missing) {
		return missing.stream().map(RuleCharge::key).collect(Collectors.toSet());
	}

	private static Duration most(List<RuleCharge> missing) {
		return missing.stream().map(RuleCharge::maxWait).min(Duration::compareTo).orElse(Duration.ZERO);
	}

	private void count(Verdict verdict) {
		for (RuleDecision decision : verdict.decisions()) {
			if (decision.shadow() && !decision.decision().allowed()) {
				this.counted.add(decision.rule());
			}
		}
	}

	Waiter waiter() {
		return this.waiter;
	}

	/** The same charges, without a second count of violations in shadow mode. */
	List<RuleCharge> countedOnce(List<RuleCharge> charges) {
		return charges.stream()
			.map((charge) -> this.counted.contains(charge.rule().id()) ? charge.withoutCounting() : charge)
			.toList();
	}

	/**
	 * Waits, decides the request in each of its turns, and ends the wait.
	 * @param turn decides the request; {@code null} if it must wait for another turn
	 * @return the final verdict; {@code null} if the time of the wait has ended
	 */
	@Nullable Verdict await(Supplier<@Nullable Verdict> turn) throws InterruptedException {
		Verdict decided = null;
		try {
			while (decided == null && this.waiter.awaitTurn(this.most)) {
				decided = turn.get();
			}
			return decided;
		}
		finally {
			end(decided);
		}
	}

	/**
	 * Whether the wait continues after a verdict that was decided in a turn. If not, the
	 * verdict is final.
	 */
	boolean continuesAfter(Verdict verdict) {
		Duration waited = this.waiter.waited();
		List<RuleCharge> missing = missing(verdict, waited);
		if (missing.isEmpty()) {
			return false;
		}
		this.rejection = verdict;
		this.decidedAfter = waited;
		this.most = most(missing);
		count(verdict);
		this.waiter.continueFor(keys(missing));
		return true;
	}

	/** The verdict at the end of the time, as of now. */
	Verdict rejection() {
		long ticks = this.waiter.waited().minus(this.decidedAfter).dividedBy(ChronoUnit.MICROS.getDuration());
		return new Verdict(this.rejection.outcome(),
				this.rejection.decisions()
					.stream()
					.<RuleDecision>map((decision) -> ChargeDecision.of(decision).after(ticks))
					.toList(),
				this.rejection.undecided());
	}

	/**
	 * Ends the wait. If the request has acquired its permits, and must wait for permits
	 * of a rate, it keeps its slot.
	 * @param decided the final verdict; {@code null} if there is none
	 */
	private void end(@Nullable Verdict decided) {
		boolean acquired = decided != null && decided.allowed();
		this.waiter.leave(acquired);
		if (decided != null && acquired && !decided.delay().isZero()) {
			this.queue.keepSlot(this.slot, decided);
		}
		else {
			this.queue.leave(this.slot);
		}
	}

}
