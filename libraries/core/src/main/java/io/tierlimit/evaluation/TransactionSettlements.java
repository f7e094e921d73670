package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.tierlimit.evaluation.TransactionEntries.Entry;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.StoreFailureFlag;

/**
 * The refunds, resets and settlements of costs of one request. Each charge is refunded or
 * settled at most once. Guarded by the lock of its transaction.
 *
 * @param buckets passes refunds and settlements to the store
 * @param failureFlag whether a store call of the request has failed
 * @param entries the charges of the request
 */
record TransactionSettlements(RuleBuckets buckets, StoreFailureFlag failureFlag, TransactionEntries entries) {

	/** Refunds all charges of the request itself. */
	List<ChargeDecision> refundRequest() {
		return refundRequest((rule) -> true);
	}

	/** Refunds the charges of some rules for the request itself. */
	List<ChargeDecision> refundRequest(Predicate<Rule> rules) {
		return this.entries.mayBeCharged() ? refund(this.entries.ofRequest(rules)) : List.of();
	}

	/**
	 * Refunds all charges of the request itself, and removes its decisions, because the
	 * request has changed.
	 */
	void restart() {
		this.entries.refundedByRestart = refundRequest();
		this.entries.removeRequest();
	}

	/** Consumes the permits again that the restart has refunded. */
	void undoRestart() {
		this.buckets.chargeAgain(this.entries.refundedByRestart, this.failureFlag);
		this.entries.refundedByRestart = List.of();
	}

	/**
	 * Releases the permits that a call holds.
	 * @param inRequest whether the request has not ended, and releases the permits of
	 * rules for requests at its end
	 */
	void endCall(List<ChargeDecision> held, boolean inRequest) {
		cancel(held.stream()
			.filter((decision) -> !inRequest || !decision.ruleCharge().rule().appliesToRequests())
			.toList());
	}

	/**
	 * Refunds the charges of decisions of one verdict.
	 * @return whether the verdict is on the request itself
	 */
	boolean cancel(List<ChargeDecision> decisions) {
		if (decisions.isEmpty()) {
			return false;
		}
		Set<ChargeDecision> canceled = Collections.newSetFromMap(new IdentityHashMap<>());
		canceled.addAll(decisions);
		List<Entry> known = this.entries.all();
		known.removeIf((entry) -> !canceled.remove(entry.decision));
		refund(known);
		// Later calls have replaced the entries of the other decisions.
		this.buckets.refund(List.copyOf(canceled), this.failureFlag);
		return known.stream().anyMatch((entry) -> entry.ofRequest);
	}

	/**
	 * Makes all refunds, resets and settlements of costs that depend on the end of the
	 * request. Refunds and settlements are one call to the store.
	 * @param actual the actual costs by bucket; without one, the estimate remains
	 */
	void settle(RequestOutcome outcome, Map<BucketKey, Long> actual) {
		List<Entry> refunded = new ArrayList<>();
		List<ChargeDecision> kept = new ArrayList<>();
		for (Entry entry : this.entries.settledAtTheEnd()) {
			switch (entry.effect(outcome)) {
				case RESET -> reset(entry);
				case REFUND -> refunded.add(entry);
				case KEEP, NONE -> {
					if (entry.decision != null) {
						kept.add(entry.decision);
					}
				}
			}
		}
		List<CostChange> changes = RuleBuckets.refunds(takeCharged(refunded));
		for (BucketCost cost : BucketCost.of(kept)) {
			Long permits = actual.get(cost.bucket());
			if (permits != null) {
				changes.addAll(cost.settle(permits));
			}
			else {
				cost.settlement().unknown();
			}
		}
		this.buckets.settle(changes, this.failureFlag);
	}

	private void reset(Entry entry) {
		ChargeDecision decision = entry.decision;
		if (decision != null) {
			this.buckets.store().refill(decision.ownBucket(), this.failureFlag);
			entry.charged = false;
		}
	}

	private List<ChargeDecision> refund(List<Entry> selected) {
		List<ChargeDecision> refunded = takeCharged(selected);
		this.buckets.refund(refunded, this.failureFlag);
		return refunded;
	}

	/** Ends the charges of the entries that are charged, and returns their decisions. */
	private static List<ChargeDecision> takeCharged(List<Entry> selected) {
		List<ChargeDecision> taken = new ArrayList<>(selected.size());
		for (Entry entry : selected) {
			if (entry.charged) {
				entry.charged = false;
				if (entry.decision != null) {
					taken.add(entry.decision);
				}
			}
		}
		return taken;
	}

}
