package io.tierlimit.evaluation;

import java.util.List;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.option.CompositeOption;
import io.tierlimit.option.RuleOption.Fact;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.ChargeOptions;
import org.jspecify.annotations.Nullable;

/**
 * The charge of a rule for a request, before it is decided.
 */
final class RuleCharge extends Charge {

	private final CompiledRule rule;

	private final @Nullable String plan;

	private final ChargeOptions immediate;

	private final boolean named;

	/** {@code null} unless the caller is blocked. */
	private final @Nullable Decision block;

	/**
	 * Creates a charge.
	 * @param rule the rule
	 * @param plan the caller's plan if the rule distinguishes plans; {@code null} for
	 * none
	 * @param options the options of the charge
	 * @param immediate the options of the same charge for a request that cannot wait
	 * @param named whether the rule's paths name the handler of the request
	 * @param block the decision if the caller is blocked; otherwise {@code null}
	 */
	RuleCharge(CompiledRule rule, @Nullable String plan, BucketKey key, Limit limit, long cost, ChargeOptions options,
			ChargeOptions immediate, boolean named, @Nullable Decision block) {
		super(key, limit, cost, options);
		this.rule = rule;
		this.plan = plan;
		this.immediate = immediate;
		this.named = named;
		this.block = block;
	}

	Rule rule() {
		return this.rule.rule();
	}

	/** All options of the rule. */
	CompositeOption ruleOptions() {
		return this.rule.options();
	}

	/** The options of charges under the rule. */
	RuleChargeOptions chargeOptions() {
		return this.rule.chargeOptions();
	}

	/** Whether the end of a request settles the charge. */
	boolean isSettledAtTheEnd() {
		return this.rule.reads(Fact.OUTCOME);
	}

	@Nullable String plan() {
		return this.plan;
	}

	/** Whether the rule's paths name the handler of the request. */
	boolean named() {
		return this.named;
	}

	/**
	 * The decision without the bucket: the rejection of a blocked caller by a rule that
	 * is enforced; otherwise {@code null}.
	 */
	@Nullable ChargeDecision rejection() {
		return (this.block == null || shadow()) ? null : new ChargeDecision(this,
				AcquireResult.rejected(List.of(this), new Decision[] { this.block }), 0, this.block);
	}

	RuleCharge costing(long cost) {
		return new RuleCharge(this.rule, this.plan, key(), limit(), cost, options(), this.immediate, this.named,
				this.block);
	}

	/** The same charge of a derived rule, on its own bucket. */
	RuleCharge of(CompiledRule derived, Limit limit, RuleChargeOptions options) {
		BucketKey bucket = new BucketKey(derived.rule().id(), key().key(), key().affinityKey());
		return new RuleCharge(derived, this.plan, bucket, limit, cost(), options.like(options()), options.immediate(),
				this.named, null);
	}

	/** Whether the request may wait for permits. */
	boolean canWait() {
		return !options().overdraft().equals(this.immediate.overdraft());
	}

	RuleCharge withoutWaiting() {
		return with(this.immediate);
	}

	/**
	 * The same charge of a request that finds no slot in the wait queue. Its rejection
	 * does not count for a ban: with a slot, the request would have waited.
	 */
	RuleCharge withoutSlot() {
		return canWait() ? with(this.immediate.withoutCounting()) : this;
	}

	private RuleCharge with(ChargeOptions options) {
		return new RuleCharge(this.rule, this.plan, key(), limit(), cost(), options, this.immediate, this.named,
				this.block);
	}

	/** The permits that are earned in the time that the request may wait. */
	double reservable() {
		return (double) options().overdraft().ticks() * limit().rate().permits() / limit().rate().periodTicks();
	}

	/** Whether each caller has a bucket of its own. */
	boolean isPerCaller() {
		return rule().scope().isPerCaller();
	}

}
