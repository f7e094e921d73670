package io.tierlimit.evaluation;

import io.tierlimit.limit.Overdraft;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleOption.Purpose;
import io.tierlimit.store.ChargeOptions;

/**
 * The options of a rule's charges.
 *
 * @param waiting for requests that can wait
 * @param immediate for requests that cannot wait
 * @param reserving for reservations
 */
record RuleChargeOptions(ChargeOptions waiting, ChargeOptions immediate, ChargeOptions reserving) {

	/**
	 * Creates the options of a rule.
	 * @param standard the options of a charge that no option of the rule changes
	 * @param option all options of the rule
	 */
	static RuleChargeOptions of(ChargeOptions standard, RuleOption option) {
		ChargeOptions immediate = option.charge(standard, Purpose.IMMEDIATE);
		ChargeOptions waiting = option.charge(standard, Purpose.WAITING);
		return new RuleChargeOptions(waiting.equals(immediate) ? immediate : waiting, immediate,
				option.charge(standard, Purpose.RESERVATION));
	}

	/**
	 * Selects the options that can reserve the same number of permits as other options.
	 */
	ChargeOptions like(ChargeOptions other) {
		if (other.overdraft().equals(this.immediate.overdraft())) {
			return this.immediate;
		}
		return other.overdraft().equals(this.waiting.overdraft()) ? this.waiting : this.reserving;
	}

	/** Whether requests or code can reserve permits. */
	boolean reserves() {
		return !(this.waiting.overdraft().equals(Overdraft.NONE) && this.reserving.overdraft().equals(Overdraft.NONE));
	}

	/** The same options for charges whose rejections are not counted for bans. */
	RuleChargeOptions withoutCounting() {
		return new RuleChargeOptions(this.waiting.withoutCounting(), this.immediate.withoutCounting(),
				this.reserving.withoutCounting());
	}

}
