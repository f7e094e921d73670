package io.tierlimit.evaluation;

import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.option.CallerFacts;
import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.CompositeOption;
import io.tierlimit.option.CostSettlement;
import io.tierlimit.option.RuleOption.Fact;
import io.tierlimit.option.EndedCharge;
import io.tierlimit.option.OutcomeEffect;
import io.tierlimit.option.Terms;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.ChargeOptions;
import org.jspecify.annotations.Nullable;

/**
 * A rule with its key, its cost and its options, which an evaluator applies to callers.
 */
public final class CompiledRule {

	private final Rule rule;

	private final RuleKey key;

	private final Cost cost;

	private final CompositeOption options;

	private final Set<Fact> reads = EnumSet.noneOf(Fact.class);

	private final boolean dependsOnPlan;

	private final @Nullable CostSettlement settlement;

	/** The terms before options change them. */
	private final Terms standard;

	private final RuleChargeOptions enforced;

	/** The charge options of keys for which the rule is not enforced. */
	private final RuleChargeOptions shadow;

	/** Rules that are charged for the same requests. */
	private final List<CompiledRule> derived;

	CompiledRule(Rule rule, RuleKey key, Cost cost, CompositeOption options, List<CompiledRule> derived) {
		this.rule = rule;
		this.key = key;
		this.cost = cost;
		this.options = options;
		this.derived = derived;
		this.reads.addAll(options.reads());
		if (key.needsAuthentication() || cost.readsIdentity()) {
			this.reads.add(Fact.IDENTITY);
		}
		if (key.readsTarget()) {
			this.reads.add(Fact.TARGET);
		}
		this.settlement = options.settlement();
		this.dependsOnPlan = !rule.limits().plans().isEmpty() || rule.scope().names().contains(Scope.PLAN);
		this.standard = Terms.of(rule.limits().standard());
		this.enforced = chargeOptions(rule.isShadow());
		this.shadow = chargeOptions(true);
	}

	private RuleChargeOptions chargeOptions(boolean inShadow) {
		// A cached rejection would not charge the derived rules.
		boolean cached = !isSettledAtTheEnd() && this.derived.isEmpty();
		return RuleChargeOptions.of(
				new ChargeOptions(inShadow, this.rule.options().onStoreFailure(), cached, Overdraft.NONE, null, true),
				this.options);
	}

	/**
	 * The rule.
	 * @return the rule as it was read
	 */
	public Rule rule() {
		return this.rule;
	}

	/**
	 * The key of the rule's buckets.
	 * @return the key
	 */
	public RuleKey key() {
		return this.key;
	}

	/**
	 * The rules that options derive from this rule.
	 * @return rules that are charged for the same requests
	 */
	List<CompiledRule> derived() {
		return this.derived;
	}

	RuleChargeOptions chargeOptions() {
		return this.enforced;
	}

	/**
	 * All options of the rule.
	 * @return the options, combined into one option
	 */
	public CompositeOption options() {
		return this.options;
	}

	/**
	 * Whether the charge of a request with an outcome is refunded.
	 * @param outcome the outcome
	 * @return whether it does
	 */
	public boolean refunds(RequestOutcome outcome) {
		return this.options.effect(outcome, new EndedCharge("", false, false)) == OutcomeEffect.REFUND;
	}

	/**
	 * Whether a charge is settled differently if the rule's paths do not select the
	 * request's handler.
	 * @return whether the handler makes a difference
	 */
	public boolean settlesByHandler() {
		return reads(Fact.HANDLER);
	}

	/** Whether requests hold the permits until they end. */
	boolean holdsPermits() {
		return this.rule.limits().holdPermits();
	}

	/** Whether the end of a request changes its charge. */
	boolean isSettledAtTheEnd() {
		return isConditional() || this.settlement != null;
	}

	/** Whether the end of a request decides whether its charge is refunded. */
	boolean isConditional() {
		return holdsPermits() || reads(Fact.OUTCOME);
	}

	/** Replaces the estimated cost of requests; {@code null} if their cost is final. */
	@Nullable CostSettlement settlement() {
		return this.settlement;
	}

	/** Whether the key, the cost or an option reads a fact. */
	boolean reads(Fact fact) {
		return this.reads.contains(fact);
	}

	/** Whether the key or the cost needs the arguments of a method call. */
	boolean readsArguments() {
		return this.key.readsArguments() || this.cost.readsArguments();
	}

	/**
	 * Whether the rule applies to a caller at this time.
	 * @throws InvalidRequestValueException if a fact of the caller is not valid
	 */
	boolean appliesTo(Caller caller) {
		return this.options.isActive() && this.options.appliesTo(caller);
	}

	/**
	 * The facts that options read; {@code null} if the rule has no options.
	 * @param plan as {@link #planOf} returns it
	 */
	@Nullable ChargeFacts facts(CallerFacts caller, @Nullable String plan, @Nullable String endpoint) {
		return this.options.isEmpty() ? null : new ChargeFacts(caller, plan, this.key, endpoint);
	}

	/**
	 * The terms of a caller.
	 * @throws InvalidRequestValueException if a fact of the caller is not valid
	 */
	Terms terms(@Nullable ChargeFacts facts) {
		return (facts != null) ? this.options.terms(this.standard, facts) : this.standard;
	}

	/**
	 * The caller's plan; {@code null} for none, and if the rule does not depend on it.
	 */
	@Nullable String planOf(Caller caller) {
		return this.dependsOnPlan ? caller.plan() : null;
	}

	/**
	 * The charge for a caller; {@code null} if the caller has no value for a part of the
	 * key.
	 * @throws InvalidRequestValueException if the key or the cost is not valid for the
	 * request
	 */
	@Nullable RuleCharge charge(MatchedRule match, Terms terms, @Nullable ChargeFacts facts, @Nullable String plan,
			Caller caller) {
		BucketKey bucket = this.key.of(caller, match.endpoint());
		return (bucket == null) ? null
				: charge(match, terms, facts, bucket, plan, this.cost.of(caller), RuleChargeOptions::waiting);
	}

	/**
	 * The charge for a request without a value for the key or the cost that is not
	 * rejected: 1 permit from the bucket of its client address.
	 */
	RuleCharge chargeAddress(MatchedRule match, Caller caller, @Nullable Decision block) {
		BucketKey bucket = this.key.ofAddress(caller);
		ChargeFacts unknown = ChargeFacts.ofPlan(null);
		Terms terms = new Terms(terms(unknown).limit(), true, block);
		return charge(match, terms, unknown, bucket, null, 1, RuleChargeOptions::waiting);
	}

	/**
	 * Whether the rule rejects a request whose key cannot be resolved. The client address
	 * then decides whether the request is in the enforced share.
	 * @param block the decision if the caller is blocked; otherwise {@code null}
	 */
	boolean rejectsWithoutKey(Caller caller, @Nullable Decision block) {
		return !this.rule.isShadow()
				&& (block != null || this.options.isEmpty() || this.options.enforces(this.key.ofAddress(caller)));
	}

	/**
	 * A charge of a bucket. A blocked caller is rejected even if the rule is not enforced
	 * for its key.
	 * @param terms the terms, with a limit
	 * @param facts as {@link #facts} returns them
	 * @param purpose selects the options of the charge
	 */
	RuleCharge charge(MatchedRule match, Terms terms, @Nullable ChargeFacts facts, BucketKey bucket,
			@Nullable String plan, long cost, Function<RuleChargeOptions, ChargeOptions> purpose) {
		Limit limit = Objects.requireNonNull(terms.limit());
		RuleChargeOptions charged = this.enforced;
		if (facts != null) {
			facts.resolved(bucket);
			charged = counts(facts) ? options(terms, bucket) : options(terms, bucket).withoutCounting();
		}
		return new RuleCharge(match, plan, bucket, limit, cost, purpose.apply(charged), charged.immediate(),
				terms.block());
	}

	/**
	 * A charge of 0 permits, which reads the level of a bucket; {@code null} if the plan
	 * is unlimited.
	 */
	@Nullable RuleCharge inspection(Terms terms, BucketKey bucket, @Nullable String plan) {
		Limit limit = terms.limit();
		ChargeOptions charged = options(terms, bucket).immediate();
		return (limit == null) ? null
				: new RuleCharge(new MatchedRule(this, null), plan, bucket, limit, 0, charged, charged, terms.block());
	}

	private RuleChargeOptions options(Terms terms, BucketKey bucket) {
		return (terms.block() != null || this.options.enforces(bucket)) ? this.enforced : this.shadow;
	}

	/**
	 * Whether rejections are counted for a ban. They are not counted while the limit is
	 * lower than the configured limit, or shortly after the rule has become stricter:
	 * then a caller may be rejected that has not changed its behavior.
	 */
	private boolean counts(ChargeFacts facts) {
		BanPolicy ban = this.enforced.immediate().ban();
		return ban == null || !this.options.hasTightened(ban.within(), facts);
	}

	/**
	 * Adds a charge of this rule, and a charge of each rule that is derived from it. The
	 * derived rules are charged only if the charge has the configured limit of the rule
	 * or of the plan.
	 */
	void add(RuleCharge ruleCharge, List<RuleCharge> ruleCharges) {
		ruleCharges.add(ruleCharge);
		if (this.derived.isEmpty()) {
			return;
		}
		ChargeFacts facts = ChargeFacts.ofPlan(ruleCharge.plan());
		boolean compared = ruleCharge.limit().equals(terms(facts).limit());
		for (CompiledRule other : this.derived) {
			Limit limit = compared ? other.terms(facts).limit() : null;
			if (limit != null) {
				ruleCharges.add(ruleCharge.of(other, limit, other.enforced));
			}
		}
	}

	/**
	 * Whether a caller may read the level of its bucket without a request that the rule
	 * applies to: the rule is public, and neither its key nor its options need the target
	 * or the outcome of such a request, which would show what others have done to an
	 * account. Held permits are released after every outcome, so their number does not
	 * depend on the outcome.
	 */
	boolean isShownToCallers() {
		return this.rule.appliesToRequests() && !reads(Fact.TARGET) && !reads(Fact.OUTCOME) && !this.rule.isShadow()
				&& this.rule.options().visibility() == HeaderVisibility.SHOWN;
	}

	boolean dependsOnPlan() {
		return this.dependsOnPlan;
	}

}
