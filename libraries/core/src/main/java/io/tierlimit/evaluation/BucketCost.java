package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.tierlimit.option.CostSettlement;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The estimated cost that a request has consumed from one bucket under one rule.
 *
 * @param decisions the decisions on its charges, the earliest first; a forward or another
 * call may have added charges
 */
record BucketCost(List<ChargeDecision> decisions) {

	/** Groups the charges whose cost is settled by their rules and buckets. */
	static List<BucketCost> of(List<ChargeDecision> decisions) {
		Map<BucketKey, List<ChargeDecision>> buckets = new LinkedHashMap<>();
		for (ChargeDecision decision : decisions) {
			if (decision.isEstimate()) {
				buckets.computeIfAbsent(decision.charge().key(), (key) -> new ArrayList<>()).add(decision);
			}
		}
		return buckets.values().stream().map(BucketCost::new).toList();
	}

	/** The costs under one rule. */
	static List<BucketCost> of(String rule, List<ChargeDecision> decisions) {
		return of(decisions).stream().filter((cost) -> cost.rule().equals(rule)).toList();
	}

	/** The rule whose cost it is; of a derived rule, the rule that it is derived from. */
	String rule() {
		String origin = last().derivedFrom();
		return (origin != null) ? origin : last().rule();
	}

	BucketKey bucket() {
		return last().charge().key();
	}

	CostSettlement settlement() {
		return Objects.requireNonNull(last().ruleCharge().compiled().settlement());
	}

	private ChargeDecision last() {
		return this.decisions.get(this.decisions.size() - 1);
	}

	/**
	 * What code reports about the cost of its verdict, created when it is first needed.
	 */
	ReportedCost report(Supplier<ReportedCost> first) {
		return progress(this.decisions.get(0)).report(first);
	}

	/** The permits that all charges together have acquired. */
	long estimate() {
		return this.decisions.stream().mapToLong((decision) -> decision.charge().cost()).sum();
	}

	/**
	 * Returns the change that consumes the part of a total that was not consumed yet;
	 * {@code null} for nothing.
	 */
	@Nullable CostChange meter(long total) {
		return change(last(), progress(last()).raiseTo(total - consumedByOthers()));
	}

	/** The permits that all charges except for the last have consumed. */
	private long consumedByOthers() {
		return this.decisions.stream()
			.limit(this.decisions.size() - 1L)
			.mapToLong((each) -> progress(each).consumed())
			.sum();
	}

	/**
	 * Settles the actual cost. What the earliest charges have consumed is kept first, and
	 * the last charge consumes what is above the estimate.
	 */
	List<CostChange> settle(long actual) {
		List<CostChange> changes = new ArrayList<>(this.decisions.size());
		long left = actual;
		for (int i = 0; i < this.decisions.size(); i++) {
			ChargeProgress progress = progress(this.decisions.get(i));
			boolean last = i == this.decisions.size() - 1;
			long kept = last ? left : Math.min(progress.consumed(), left);
			CostChange change = change(this.decisions.get(i), progress.endWith(kept));
			if (change != null) {
				changes.add(change);
			}
			left -= kept;
		}
		settlement().settled(estimate(), actual);
		return changes;
	}

	/** A change by a number of permits; {@code null} for none. */
	private static @Nullable CostChange change(ChargeDecision decision, long more) {
		Charge charge = decision.charge();
		long maxDebt = Objects.requireNonNull(decision.ruleCharge().compiled().settlement()).maxDebt(charge.limit());
		return (more == 0) ? null : CostChange.of(decision, charge.cost() + more, maxDebt);
	}

	private static ChargeProgress progress(ChargeDecision decision) {
		return Objects.requireNonNull(decision.progress());
	}

}
