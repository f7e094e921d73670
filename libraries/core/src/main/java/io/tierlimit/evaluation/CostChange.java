package io.tierlimit.evaluation;

import io.tierlimit.limit.Overrun;
import io.tierlimit.option.CostSettlement;
import io.tierlimit.store.Settlement;

/**
 * A settlement of the cost of a charge.
 *
 * @param decision the decision on the charge
 * @param settlement the settlement
 */
record CostChange(ChargeDecision decision, Settlement settlement) {

	/**
	 * Creates a change to an actual cost.
	 * @param maxDebt the permits that the bucket may owe if the actual cost is higher
	 */
	static CostChange of(ChargeDecision decision, long actual, long maxDebt) {
		return new CostChange(decision, new Settlement(decision.charge(), actual, maxDebt,
				decision.ruleCharge().compiled().chargeOptions().reserves()));
	}

	/** Records what the bucket could not consume. */
	void recordDropped(Overrun overrun) {
		CostSettlement costs = this.decision.ruleCharge().compiled().settlement();
		if (costs != null) {
			costs.dropped(overrun.dropped());
		}
	}

}
