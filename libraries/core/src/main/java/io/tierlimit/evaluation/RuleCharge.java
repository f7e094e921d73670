package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.tierlimit.evaluation.MatchedRule.Handling;
import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import org.jspecify.annotations.Nullable;

/**
 * The charge of a rule for a request, before it is decided.
 */
final class RuleCharge extends Charge {

	private final MatchedRule match;

	private final @Nullable String plan;

	private final ChargeOptions immediate;

	/** {@code null} unless the caller is blocked. */
	private final @Nullable Decision block;

	/**
	 * Creates a charge.
	 * @param match the rule
	 * @param plan the caller's plan if the rule distinguishes plans; {@code null} for
	 * none
	 * @param options the options of the charge
	 * @param immediate the options of the same charge for a request that cannot wait
	 * @param block the decision if the caller is blocked; otherwise {@code null}
	 */
	RuleCharge(MatchedRule match, @Nullable String plan, BucketKey key, Limit limit, long cost, ChargeOptions options,
			ChargeOptions immediate, @Nullable Decision block) {
		super(spread(key, options), limit, cost, options);
		this.match = match;
		this.plan = plan;
		this.immediate = immediate;
		this.block = block;
	}

	/**
	 * Spreads the bucket that callers share. A bucket of an address, which replaces an
	 * absent part of the key, has no shards.
	 */
	static BucketKey spread(BucketKey key, ChargeOptions options) {
		return (options.shards() == 1 || RuleKey.hasStandIn(key)) ? key : key.spread(options.shards());
	}

	Rule rule() {
		return this.match.rule().rule();
	}

	/** The rule with its options. */
	CompiledRule compiled() {
		return this.match.rule();
	}

	/** Whether the permits are held until they are released. */
	boolean holdsPermits() {
		return this.match.rule().holdsPermits();
	}

	@Nullable String plan() {
		return this.plan;
	}

	/** Whether the rule's paths select the handler of the request. */
	boolean isNamed() {
		return this.match.handling() == Handling.NAMED;
	}

	/**
	 * The rejection that does not depend on the bucket, because the caller is blocked and
	 * the rule is enforced; otherwise {@code null}.
	 */
	@Nullable ChargeDecision rejection() {
		return (this.block == null || shadow()) ? null : ChargeDecision.of(this,
				AcquireResult.rejected(List.of(this), new Decision[] { this.block }), 0, this.block);
	}

	RuleCharge cost(long cost) {
		return new RuleCharge(this.match, this.plan, key(), limit(), cost, options(), this.immediate, this.block);
	}

	/** The same charge for a derived rule, on the bucket of that rule. */
	RuleCharge of(CompiledRule derived, Limit limit, RuleChargeOptions options) {
		BucketKey bucket = new BucketKey(derived.rule().id(), key().key(), key().affinityKey());
		return new RuleCharge(new MatchedRule(derived, null, this.match.handling()), this.plan, bucket, limit, cost(),
				options.like(options()), options.immediate(), null);
	}

	/** Whether the request may wait for permits. */
	boolean canWait() {
		return !options().overdraft().equals(this.immediate.overdraft());
	}

	/** Whether the request may wait until other requests release permits. */
	boolean canWaitForRelease() {
		return holdsPermits() && canWait() && !shadow();
	}

	/** How long the request may wait for permits. */
	Duration maxWait() {
		return Duration.of(options().overdraft().ticks(), ChronoUnit.MICROS);
	}

	/** The same charge with a cost that its limit never allows. */
	RuleCharge aboveCapacity() {
		return cost(limit().capacity() + 1);
	}

	/**
	 * The decision on this charge behind others that wait for the same permits: even if
	 * there are enough permits, they are for the other requests.
	 * @param rejection the decision on {@link #aboveCapacity}
	 */
	Decision behindWaiting(Decision rejection) {
		long hint = (limit() instanceof Concurrency concurrency) ? concurrency.retryHintTicks() : 0;
		long wait = (cost() > limit().capacity()) ? Decision.NEVER : (hint > 0) ? hint : Decision.UNKNOWN;
		return new Decision(false, 0, wait, rejection.nextPermitTicks(), rejection.resetTicks());
	}

	/** The same charge, whose rejection is not counted for a ban. */
	RuleCharge withoutCounting() {
		return options().countsRejections() ? with(options().withoutCounting()) : this;
	}

	RuleCharge withoutWaiting() {
		return with(this.immediate);
	}

	/**
	 * The same charge for a request without a slot in the wait queue. Its rejection is
	 * not counted for a ban: with a slot, the request would have waited.
	 */
	RuleCharge withoutSlot() {
		return canWait() ? with(this.immediate.withoutCounting()) : this;
	}

	private RuleCharge with(ChargeOptions options) {
		return new RuleCharge(this.match, this.plan, key(), limit(), cost(), options, this.immediate, this.block);
	}

	/** The permits that become available in the time that the request may wait. */
	double reservable() {
		return (double) options().overdraft().ticks() * limit().rate().permits() / limit().rate().periodTicks();
	}

	/** Whether each caller has its own bucket. */
	boolean isPerCaller() {
		return rule().scope().isPerCaller();
	}

}
