package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.tierlimit.evaluation.TransactionEntries.Entry;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.StoreFailureFlag;

/**
 * The refunds and resets of one request. Each charge is refunded at most once. Guarded by
 * the lock of its transaction.
 *
 * @param evaluator passes refunds and resets to the store
 * @param failureFlag whether a store call of the request has failed
 * @param entries the charges of the request
 */
record TransactionRefunds(RateLimitEvaluator evaluator, StoreFailureFlag failureFlag, TransactionEntries entries) {

	/** Refunds all charges of the request itself. */
	List<ChargeDecision> refundRequest() {
		return refundRequest((rule) -> true);
	}

	/** Refunds the charges of some rules for the request itself. */
	List<ChargeDecision> refundRequest(Predicate<Rule> rules) {
		return this.entries.mayBeCharged() ? refund(this.entries.ofRequest(rules)) : List.of();
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
		this.evaluator.refund(List.copyOf(canceled), this.failureFlag);
		return known.stream().anyMatch((entry) -> entry.ofRequest);
	}

	/** Makes all refunds and resets that depend on the outcome of the request. */
	void settle(RequestOutcome outcome) {
		List<Entry> refunded = new ArrayList<>();
		for (Entry entry : this.entries.conditional()) {
			switch (entry.settle(outcome)) {
				case RESET -> reset(entry);
				case REFUND -> refunded.add(entry);
				case KEEP, NONE -> {
				}
			}
		}
		refund(refunded);
	}

	private void reset(Entry entry) {
		ChargeDecision decision = entry.decision;
		if (decision != null) {
			this.evaluator.refill(decision.ownBucket(), this.failureFlag);
			entry.charged = false;
		}
	}

	private List<ChargeDecision> refund(List<Entry> selected) {
		if (selected.isEmpty()) {
			return List.of();
		}
		List<ChargeDecision> refunded = new ArrayList<>(selected.size());
		for (Entry entry : selected) {
			if (entry.charged) {
				entry.charged = false;
				if (entry.decision != null) {
					refunded.add(entry.decision);
				}
			}
		}
		this.evaluator.refund(refunded, this.failureFlag);
		return refunded;
	}

}
