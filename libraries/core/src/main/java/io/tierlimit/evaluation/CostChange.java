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

	/** Records what the bucket could not consume. */
	void recordDropped(Overrun overrun) {
		CostSettlement costs = this.decision.ruleCharge().settlement();
		if (costs != null) {
			costs.dropped(overrun.dropped());
		}
	}

}
