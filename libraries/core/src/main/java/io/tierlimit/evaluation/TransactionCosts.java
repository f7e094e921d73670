package io.tierlimit.evaluation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.tierlimit.key.ExpressionFact;
import io.tierlimit.key.FinishedRequest;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * What code has reported about the costs of one request. Thread-safe.
 */
final class TransactionCosts {

	private final Map<String, ReportedCost> reported = new HashMap<>();

	private boolean ended;

	/**
	 * The cost under a rule, which code may report.
	 * @param charged the charges of the rule at present
	 */
	synchronized ReportedCost of(String rule, Metering metering, Supplier<List<BucketCost>> charged) {
		ReportedCost cost = this.reported.computeIfAbsent(rule,
				(id) -> new ReportedCost(metering, charged, (actual) -> {
				}));
		if (this.ended) {
			cost.end();
		}
		return cost;
	}

	/**
	 * Ignores all later reports, and determines the actual costs.
	 * @param charged the costs that the request has consumed
	 * @return permits by bucket, without the costs that are unknown
	 */
	Map<BucketKey, Long> end(List<BucketCost> charged, RequestOutcome outcome, Caller caller) {
		Map<String, ReportedCost> reports = end();
		Map<BucketKey, Long> actual = new HashMap<>();
		for (BucketCost cost : charged) {
			Long permits = actual(cost, reports.get(cost.rule()), outcome, caller);
			if (permits != null) {
				actual.put(cost.bucket(), permits);
			}
		}
		return actual;
	}

	private synchronized Map<String, ReportedCost> end() {
		this.ended = true;
		this.reported.values().forEach(ReportedCost::end);
		return Map.copyOf(this.reported);
	}

	/**
	 * What code has settled, or else the value of the rule's expression. It is never
	 * below the metered total.
	 */
	private static @Nullable Long actual(BucketCost cost, @Nullable ReportedCost report, RequestOutcome outcome,
			Caller caller) {
		Long metered = (report != null) ? report.metered() : null;
		Long settled = (report != null) ? report.settled() : null;
		Long actual = (settled != null) ? settled : ofExpression(cost, outcome, caller, metered);
		return (actual == null || (metered != null && metered > actual)) ? metered : actual;
	}

	/**
	 * The value of the rule's expression. If the response has ended early, the metered
	 * total replaces it. If nothing was metered, the value is then not below the
	 * estimate, because a client may have caused the end. The same applies if a client
	 * may have hidden the size of its request.
	 */
	private static @Nullable Long ofExpression(BucketCost cost, RequestOutcome outcome, Caller caller,
			@Nullable Long metered) {
		boolean early = outcome.has(Event.ENDED_EARLY);
		if (early && metered != null) {
			return null;
		}
		Long value = cost.settlement().actualCost(new FinishedRequest(caller, outcome, metered));
		boolean uncertain = early
				|| (cost.settlement().reads(ExpressionFact.REQUEST_BYTES) && outcome.exchange().mayBeLargerRequest());
		return (uncertain && value != null) ? (Long) Math.max(value, cost.estimate()) : value;
	}

}
