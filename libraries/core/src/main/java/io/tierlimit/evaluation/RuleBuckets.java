package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

import io.tierlimit.RuleDecision;
import io.tierlimit.UndecidedRule;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overrun;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of rules. Passes the charges of rules to the store, each time in a single
 * call, and creates decisions and verdicts from its results.
 *
 * @param store stores the buckets
 * @param releases is notified when permits in use are released
 * @param warnings logs each warning once
 */
record RuleBuckets(BucketStore store, ReleaseQueue releases, OnceLogger warnings) {

	/** Decides charges, all or nothing. */
	Verdict acquire(List<RuleCharge> ruleCharges, StoreFailureFlag failureFlag) {
		if (ruleCharges.isEmpty()) {
			return Verdict.UNLIMITED;
		}
		Verdict blocked = blocked(ruleCharges);
		Verdict verdict = (blocked != null) ? blocked
				: verdict(ruleCharges, this.store.acquire(Collections.unmodifiableList(ruleCharges), failureFlag));
		recordHeld(verdict);
		return verdict;
	}

	/**
	 * The verdict if the caller is blocked; otherwise {@code null}. The store is not
	 * called for a caller that is blocked.
	 */
	static @Nullable Verdict blocked(List<RuleCharge> ruleCharges) {
		List<RuleDecision> rejections = List.of();
		for (RuleCharge ruleCharge : ruleCharges) {
			ChargeDecision rejection = ruleCharge.rejection();
			if (rejection != null) {
				rejections = rejections.isEmpty() ? new ArrayList<>() : rejections;
				rejections.add(rejection);
			}
		}
		return rejections.isEmpty() ? null : new Verdict(Outcome.REJECTED, rejections);
	}

	/** The verdict on charges that the store has decided. */
	Verdict verdict(List<RuleCharge> ruleCharges, AcquireResult result) {
		if (result.source() == Source.NONE) {
			List<UndecidedRule> denied = ruleCharges.stream()
				.filter(result.charges()::contains)
				.<UndecidedRule>map((ruleCharge) -> new UndecidedCharge(ruleCharge, true))
				.toList();
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

	/** Records the permits that a verdict holds. */
	void recordHeld(Verdict verdict) {
		List<ChargeDecision> held = ChargeDecision.held(verdict);
		for (int i = 0; i < held.size(); i++) {
			held.get(i).ruleCharge().compiled().options().held(held.get(i).cost());
		}
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
					decision.ruleCharge().compiled().options().held(-decision.cost());
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
				this.releases.released(change.decision().ruleCharge().key());
			}
		}
	}

	/**
	 * Consumes refunded permits again, from each bucket separately. Rules with
	 * conditional charges are skipped, since the end of the request does not settle these
	 * charges.
	 */
	void chargeAgain(List<ChargeDecision> refunded, StoreFailureFlag failureFlag) {
		for (ChargeDecision decision : refunded) {
			if (!decision.local() && decision.decision().allowed()
					&& !decision.ruleCharge().compiled().isConditional()) {
				this.store.acquire(List.of(decision.charge().withoutBan()), failureFlag);
			}
		}
	}

}
