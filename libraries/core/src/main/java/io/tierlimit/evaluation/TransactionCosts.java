package io.tierlimit.evaluation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.tierlimit.key.FinishedRequest;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * What code has reported about the costs of one request. Guarded by the lock of its
 * transaction.
 */
final class TransactionCosts {

	/** By rule. Empty until code reports a cost. */
	private Map<String, ReportedCost> reported = Map.of();

	private boolean ended;

	/**
	 * The cost under a rule, which code may report.
	 * @param charged the charges of the rule at present
	 */
	ReportedCost of(String rule, Metering metering, Supplier<List<BucketCost>> charged) {
		this.reported = this.reported.isEmpty() ? new HashMap<>() : this.reported;
		ReportedCost cost = this.reported.computeIfAbsent(rule,
				(id) -> new ReportedCost(metering, charged, (actual) -> {
				}));
		if (this.ended) {
			cost.end();
		}
		return cost;
	}

	/**
	 * The actual cost at the end of the request: what code has settled, or else the value
	 * of the rule's expression. It is never below the metered total.
	 * @return permits; {@code null} if the cost is unknown
	 */
	@Nullable Long actual(BucketCost cost, RequestOutcome outcome, Caller caller) {
		ReportedCost report = this.reported.get(cost.rule());
		Long metered = (report != null) ? report.metered() : null;
		Long settled = (report != null) ? report.settled() : null;
		Long actual = (settled != null) ? settled : ofExpression(cost, outcome, caller, metered);
		if (actual == null && metered == null) {
			cost.settlement().unknown();
			return null;
		}
		return (actual == null || (metered != null && metered > actual)) ? metered : actual;
	}

	/**
	 * The value of the rule's expression. If the response has ended early, the metered
	 * total replaces it. If nothing was metered, the value is then not below the
	 * estimate, because a client may have caused the end.
	 */
	private static @Nullable Long ofExpression(BucketCost cost, RequestOutcome outcome, Caller caller,
			@Nullable Long metered) {
		boolean early = outcome.has(Event.ENDED_EARLY);
		if (early && metered != null) {
			return null;
		}
		Long value = cost.settlement().actualCost(new FinishedRequest(caller, outcome, metered));
		return (early && value != null) ? (Long) Math.max(value, cost.estimate()) : value;
	}

	/** Ignores all later reports. */
	void end() {
		this.ended = true;
		this.reported.values().forEach(ReportedCost::end);
	}

}
