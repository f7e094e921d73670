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
	ReportedCost of(String rule, Metering metering, Supplier<List<ChargedCost>> charged) {
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
	 * of the rule's expression. It is never below the metered total. If the response has
	 * ended early, the metered total replaces the expression. If nothing was metered, the
	 * cost is then not below the estimate, because a client may have caused this.
	 * @return permits; {@code null} if the cost is unknown
	 */
	@Nullable Long actual(ChargedCost cost, RequestOutcome outcome, Caller caller) {
		ReportedCost report = this.reported.get(cost.rule());
		Long metered = (report != null) ? report.metered() : null;
		Long settled = (report != null) ? report.settled() : null;
		boolean early = outcome.has(Event.ENDED_EARLY);
		if (settled == null && !(early && metered != null)) {
			settled = cost.settlement().actualCost(new FinishedRequest(caller, outcome, metered));
			settled = (early && settled != null) ? (Long) Math.max(settled, cost.estimate()) : settled;
		}
		if (settled == null && metered == null) {
			cost.settlement().unknown();
			return null;
		}
		return (settled == null || (metered != null && metered > settled)) ? metered : settled;
	}

	/** Ignores all later reports. */
	void end() {
		this.ended = true;
		this.reported.values().forEach(ReportedCost::end);
	}

}
