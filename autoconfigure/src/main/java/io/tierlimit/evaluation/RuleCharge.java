package io.tierlimit.evaluation;

import java.util.List;

import io.tierlimit.adaptive.AdaptiveRate;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
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

	private final @Nullable ResetPolicy resetPolicy;

	/** {@code null} unless the caller is blocked. */
	private final @Nullable Decision block;

	/**
	 * Creates a charge.
	 * @param rule the rule
	 * @param plan the caller's plan if the rule distinguishes plans; {@code null} for
	 * none
	 * @param options the options of the charge
	 * @param immediate the options of the same charge for a request that cannot wait
	 * @param resetPolicy when the request may reset the bucket; {@code null} for never
	 * @param block the decision if the caller is blocked; otherwise {@code null}
	 */
	RuleCharge(CompiledRule rule, @Nullable String plan, BucketKey key, Limit limit, long cost, ChargeOptions options,
			ChargeOptions immediate, @Nullable ResetPolicy resetPolicy, @Nullable Decision block) {
		super(key, limit, cost, options);
		this.rule = rule;
		this.plan = plan;
		this.immediate = immediate;
		this.resetPolicy = resetPolicy;
		this.block = block;
	}

	/** A charge that cannot wait, or whose caller waits, and that resets nothing. */
	RuleCharge(CompiledRule rule, @Nullable String plan, BucketKey key, Limit limit, long cost, ChargeOptions options,
			@Nullable Decision block) {
		this(rule, plan, key, limit, cost, options, options, null, block);
	}

	Rule rule() {
		return this.rule.rule();
	}

	/** The rate of the rule; {@code null} if it is constant. */
	@Nullable AdaptiveRate adaptive() {
		return this.rule.adaptive();
	}

	@Nullable String plan() {
		return this.plan;
	}

	@Nullable ResetPolicy resetPolicy() {
		return this.resetPolicy;
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
		return new RuleCharge(this.rule, this.plan, key(), limit(), cost, options(), this.immediate, this.resetPolicy,
				this.block);
	}

	/** The same charge of a candidate, on its own bucket. */
	RuleCharge of(CompiledRule candidate, Limit limit, RuleChargeOptions options) {
		BucketKey bucket = new BucketKey(candidate.rule().id(), key().key(), key().affinityKey());
		return new RuleCharge(candidate, this.plan, bucket, limit, cost(), options.like(options()), options.immediate(),
				this.resetPolicy, null);
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
		return new RuleCharge(this.rule, this.plan, key(), limit(), cost(), options, this.immediate, this.resetPolicy,
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
