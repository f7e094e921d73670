package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.option.EndedCharge;
import io.tierlimit.rule.DerivedFrom;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The decision of a rule, with the charge that a refund needs.
 *
 * @param ruleCharge the charge before it was decided
 * @param result the result of the store, which contains the decision on the charge
 * @param index the index of the charge in the result
 * @param decision the decision of the result; after a wait, the same decision at the end
 * of the wait
 * @param progress what happens to the permits later; {@code null} if the charge holds no
 * permits, and its cost is final
 */
record ChargeDecision(RuleCharge ruleCharge, AcquireResult result, int index, Decision decision,
		@Nullable ChargeProgress progress) implements RuleDecision {

	/**
	 * Creates the decision on a charge of a result.
	 */
	static ChargeDecision of(RuleCharge ruleCharge, AcquireResult result, int index, Decision decision) {
		boolean changes = (ruleCharge.holdsPermits() || ruleCharge.compiled().settlement() != null)
				&& decision.allowed() && result.admitted();
		return new ChargeDecision(ruleCharge, result, index, decision,
				changes ? new ChargeProgress(ruleCharge.cost()) : null);
	}

	/**
	 * Returns the charge decision that implements a public decision.
	 * @throws IllegalArgumentException if the decision has another implementation
	 */
	static ChargeDecision of(RuleDecision decision) {
		if (decision instanceof ChargeDecision charged) {
			return charged;
		}
		throw new IllegalArgumentException("The verdict must be one of this RateLimiter, but contains a "
				+ decision.getClass().getName() + ". Pass the verdict that the limiter returned.");
	}

	/** All decisions of a verdict. */
	static List<ChargeDecision> of(Verdict verdict) {
		return verdict.decisions().stream().map(ChargeDecision::of).toList();
	}

	/** The decisions of a verdict that hold permits, released or not. */
	static List<ChargeDecision> held(Verdict verdict) {
		List<ChargeDecision> held = List.of();
		for (int i = 0; i < verdict.decisions().size(); i++) {
			ChargeDecision decision = of(verdict.decisions().get(i));
			if (decision.isHeld()) {
				held = held.isEmpty() ? new ArrayList<>() : held;
				held.add(decision);
			}
		}
		return held;
	}

	ChargeDecision after(long ticks) {
		return (ticks == 0) ? this : new ChargeDecision(this.ruleCharge, this.result, this.index,
				this.decision.after(ticks), this.progress);
	}

	/** The charge as it was decided, with its receipt. */
	Charge charge() {
		return this.result.charge(this.index);
	}

	/** Whether permits were acquired that are held until they are released. */
	boolean isHeld() {
		return this.progress != null && this.ruleCharge.holdsPermits();
	}

	/** Whether the actual cost will replace the cost of the charge. */
	boolean isEstimate() {
		return this.progress != null && this.ruleCharge.compiled().settlement() != null && !this.progress.hasEnded();
	}

	/**
	 * Whether a refund changes the bucket: the charge was acquired, and its permits were
	 * neither released nor settled. Returns true only once for such permits.
	 */
	boolean beginRefund() {
		return this.decision.allowed() && (this.progress == null || this.progress.end());
	}

	@Override
	public boolean local() {
		return this.result.source() == Source.FALLBACK;
	}

	/**
	 * Whether the bucket belongs to a single key of the rule. False if the client address
	 * replaces a part of the key, or if the bucket is an overflow bucket.
	 */
	private boolean isOnOwnBucket() {
		BucketKey bucket = charge().key();
		return !RuleKey.hasStandIn(bucket) && (local() || bucket.rule().equals(rule()));
	}

	/** The bucket of the key. A fallback may have charged another bucket. */
	BucketKey ownBucket() {
		BucketKey bucket = charge().key();
		return new BucketKey(rule(), bucket.key(), bucket.affinityKey());
	}

	/** The facts of this charge that are read at the end of the request. */
	EndedCharge atTheEnd() {
		return new EndedCharge(key(), isOnOwnBucket(), this.ruleCharge.isNamed());
	}

	@Override
	public String rule() {
		return this.ruleCharge.rule().id();
	}

	@Override
	public @Nullable String plan() {
		return this.ruleCharge.plan();
	}

	@Override
	public boolean shadow() {
		return this.ruleCharge.shadow();
	}

	@Override
	public boolean hidden() {
		return this.ruleCharge.rule().options().visibility() == HeaderVisibility.HIDDEN;
	}

	@Override
	public @Nullable String derivedFrom() {
		DerivedFrom origin = this.ruleCharge.rule().options().find(DerivedFrom.class);
		return (origin != null) ? origin.rule() : null;
	}

	@Override
	public String key() {
		return charge().key().key();
	}

	@Override
	public long cost() {
		return this.ruleCharge.cost();
	}

	@Override
	public Limit limit() {
		return this.result.limit(this.index);
	}

}
