package io.tierlimit.evaluation;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.ChargeOptions;
import org.jspecify.annotations.Nullable;

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
	 * @param shadow whether the charges never reject a request
	 */
	static RuleChargeOptions of(Rule rule, boolean shadow) {
		ChargeOptions immediate = options(rule, shadow, Overdraft.NONE);
		Overdraft byWaiting = rule.reservations().byWaiting();
		return new RuleChargeOptions(byWaiting.equals(Overdraft.NONE) ? immediate : options(rule, shadow, byWaiting),
				immediate, options(rule, shadow, rule.reservations().byProgram()));
	}

	/** The options of these that reserve the same permits as others. */
	ChargeOptions like(ChargeOptions other) {
		if (other.overdraft().equals(this.immediate.overdraft())) {
			return this.immediate;
		}
		return other.overdraft().equals(this.waiting.overdraft()) ? this.waiting : this.reserving;
	}

	/** The same options for charges whose rejections do not count for bans. */
	RuleChargeOptions withoutCounting() {
		return new RuleChargeOptions(this.waiting.withoutCounting(), this.immediate.withoutCounting(),
				this.reserving.withoutCounting());
	}

	private static ChargeOptions options(Rule rule, boolean shadow, Overdraft overdraft) {
		// Any instance may refund conditional charges, so their rejections are not
		// cached. A cached rejection would not be compared with the candidate.
		boolean cachesRejections = rule.options().store().cacheRejections() && rule.chargePolicy().isStandard()
				&& rule.options().rollout().candidate() == null;
		@Nullable BanPolicy ban = rule.options().ban();
		return new ChargeOptions(shadow, rule.options().store().onFailure(), cachesRejections, overdraft, ban, true);
	}

}
