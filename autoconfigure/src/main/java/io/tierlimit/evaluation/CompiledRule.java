package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;

import io.tierlimit.AppliesTo;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.PermitRequest;
import io.tierlimit.adaptive.AdaptiveRate;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.EnforcedShare;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.ChargeOptions;
import io.tierlimit.spi.InvalidFactException;
import io.tierlimit.spi.KeyResolver;
import org.jspecify.annotations.Nullable;

/**
 * A rule with parsed expressions and resolved key resolvers, which an evaluator applies
 * to callers.
 */
public final class CompiledRule {

	private final Rule rule;

	private final @Nullable CallerExpression condition;

	private final RuleKey key;

	private final Cost cost;

	private final boolean needsAuthentication;

	private final boolean dependsOnPlan;

	private final RuleChargeOptions options;

	/** The options for keys that are not in the share. */
	private final RuleChargeOptions shadowOptions;

	/** {@code null} unless the key decides whether the rule rejects requests. */
	private final @Nullable EnforcedShare share;

	/**
	 * For requests for a handler that the rule's paths name, and for others; {@code null}
	 * if nothing resets the bucket.
	 */
	private final @Nullable ResetPolicy named;

	private final @Nullable ResetPolicy unnamed;

	/** {@code null} if no override concerns the rule. */
	private final @Nullable RuleOverrides overrides;

	/** {@code null} if there is none. */
	private final @Nullable CompiledRule candidate;

	/** {@code null} if the rule applies at all times. */
	private final @Nullable ActiveSchedule schedule;

	/** {@code null} if the rate is constant. */
	private final @Nullable AdaptiveRate adaptive;

	private final BanSuspensions suspensions;

	private final OnceLogger warnings;

	CompiledRule(Rule rule, RuleKey key, Cost cost, @Nullable OverrideIndex overrides,
			@Nullable ActiveSchedule schedule, @Nullable AdaptiveRate adaptive, @Nullable CompiledRule candidate,
			BanSuspensions suspensions, OnceLogger warnings) {
		String text = rule.selection().condition();
		this.rule = rule;
		this.condition = (text != null) ? CallerExpression.parseCondition(text) : null;
		this.key = key;
		this.cost = cost;
		this.needsAuthentication = this.key.needsAuthentication() || this.cost.readsIdentity()
				|| (this.condition != null && this.condition.readsIdentity());
		this.dependsOnPlan = !rule.limits().plans().isEmpty() || rule.scope().names().contains(Scope.PLAN);
		EnforcedShare enforced = rule.options().rollout().share();
		this.share = (enforced.isPartial() && !rule.isShadow()) ? enforced : null;
		this.options = RuleChargeOptions.of(rule, rule.isShadow());
		this.shadowOptions = RuleChargeOptions.of(rule, true);
		this.named = resetPolicy(true);
		this.unnamed = resetPolicy(false);
		this.overrides = (overrides != null) ? overridesIn(overrides) : null;
		this.schedule = schedule;
		this.adaptive = adaptive;
		this.candidate = candidate;
		this.suspensions = suspensions;
		this.warnings = warnings;
	}

	private @Nullable ResetPolicy resetPolicy(boolean byStatus) {
		return this.rule.chargePolicy().resetOn().isEmpty() ? null : new ResetPolicy(this.key, byStatus);
	}

	/** A caller that is blocked is blocked whether its key is in the share or not. */
	private RuleChargeOptions optionsFor(BucketKey bucket, @Nullable Decision block) {
		return (this.share == null || block != null || this.share.includes(this.rule.id(), bucket.key())) ? this.options
				: this.shadowOptions;
	}

	/**
	 * A rejection counts for a ban only if the caller has caused it. A caller who has not
	 * changed its behavior may be rejected while the limit is lower than the configured
	 * one, or shortly after the rule has become stricter.
	 */
	private RuleChargeOptions counted(RuleChargeOptions charged, Caller caller, BucketKey bucket, boolean reduced) {
		BanPolicy ban = this.rule.options().ban();
		boolean counted = ban == null || !(reduced || (this.schedule != null && this.schedule.hasJustBegun())
				|| (this.adaptive != null && this.adaptive.wasReducedWithin(ban.within()))
				|| this.suspensions.contain(this, caller, bucket));
		return counted ? charged : charged.withoutCounting();
	}

	private boolean isReduced(Limit limit, @Nullable String plan, @Nullable CallerOverride override) {
		return this.adaptive != null && !limit.equals(configuredLimit(plan, override));
	}

	/** The overrides of an index that concern this rule. */
	RuleOverrides overridesIn(OverrideIndex index) {
		return new RuleOverrides(this.rule.id(), this.key, plansOf(null), index);
	}

	/**
	 * Whether the rule rejects a request whose key cannot be resolved. The address
	 * decides whether such a request is in the share.
	 */
	boolean rejectsWithoutKey(Caller caller, @Nullable CallerOverride override) {
		RuleChargeOptions options = (this.share == null) ? this.options
				: optionsFor(this.key.ofAddress(caller), block(override));
		return !options.immediate().shadow();
	}

	/**
	 * The rule.
	 * @return the rule in force
	 */
	public Rule rule() {
		return this.rule;
	}

	/**
	 * Whether a part of the key may be a client-supplied value, such as a credential.
	 * @return whether a header, a parameter, an argument or a {@link KeyResolver} is in
	 * the key
	 */
	public boolean hasSensitiveKey() {
		return this.key.isSensitive();
	}

	/**
	 * Whether the key differs by caller.
	 * @return whether it has a part other than the endpoint
	 */
	public boolean hasKeyPerCaller() {
		return this.key.isPerCaller();
	}

	/**
	 * Whether buckets may belong to accounts.
	 * @return whether a part of the key may identify an account
	 */
	public boolean isKeyedByAccount() {
		return this.key.identifiesAccounts();
	}

	/**
	 * Whether a status resets the bucket. Only the status of a handler that the rule's
	 * paths name does.
	 * @return whether {@code reset-on} has a status
	 */
	public boolean isResetByStatus() {
		return this.rule.chargePolicy().resetsOnStatus();
	}

	/** Whether the key or the cost needs the arguments of a method call. */
	boolean readsArguments() {
		return this.key.readsArguments() || this.cost.readsArguments();
	}

	/** Whether the rule can only be evaluated after authentication. */
	boolean needsAuthentication() {
		return this.needsAuthentication;
	}

	boolean appliesToRequests() {
		return this.rule.selection().appliesTo() == AppliesTo.REQUESTS;
	}

	/**
	 * The rule with other limits that every charge is compared with.
	 * @return the candidate, or {@code null} if there is none
	 */
	public @Nullable CompiledRule candidate() {
		return this.candidate;
	}

	/**
	 * The charge of the candidate for the same request; {@code null} if there is no
	 * candidate, or its plan is unlimited. A charge with another limit than that of the
	 * rule is not compared, because a candidate would not replace that limit.
	 */
	@Nullable RuleCharge candidateCharge(RuleCharge ruleCharge) {
		CompiledRule compared = this.candidate;
		if (compared == null || !ruleCharge.limit().equals(limit(ruleCharge.plan(), null))) {
			return null;
		}
		Limit limit = compared.limit(ruleCharge.plan(), null);
		return (limit != null) ? ruleCharge.of(compared, limit, compared.options) : null;
	}

	/**
	 * The rate that follows the health of what the rule protects.
	 * @return the rate, or {@code null} if the rate is constant
	 */
	public @Nullable AdaptiveRate adaptive() {
		return this.adaptive;
	}

	/**
	 * When the rule applies.
	 * @return the schedule, or {@code null} if the rule applies at all times
	 */
	public @Nullable ActiveSchedule schedule() {
		return this.schedule;
	}

	/** Whether the time is one in which the rule applies. */
	boolean isActive() {
		return this.schedule == null || this.schedule.isActive();
	}

	/**
	 * Whether the rule applies to a caller. It does not if it is not active, or if its
	 * condition is false. If the condition fails or has another value, the rule applies.
	 * @throws InvalidFactException if the condition needs a fact that cannot be read
	 */
	boolean appliesTo(Caller caller) {
		if (!isActive()) {
			return false;
		}
		if (this.condition == null) {
			return true;
		}
		try {
			Object value = this.condition.evaluate(caller);
			if (value instanceof Boolean applies) {
				return applies;
			}
			warnOfCondition("is neither true nor false");
		}
		catch (ExpressionException ex) {
			warnOfCondition("failed: " + ex.getMessage());
		}
		return true;
	}

	private void warnOfCondition(String reason) {
		this.warnings.warn("Rule '" + this.rule.id() + "' applied to a request because its condition '" + this.condition
				+ "' " + reason);
	}

	/**
	 * Whether no request consumes permits.
	 * @return whether the rule has a fixed cost of 0
	 */
	public boolean isFree() {
		return this.cost.isZero();
	}

	/**
	 * The override that applies to a caller; {@code null} for none.
	 * @throws InvalidFactException if the user or the address cannot be read
	 */
	@Nullable CallerOverride override(OverridesOfCaller ofCaller, Caller caller, @Nullable String endpoint) {
		RuleOverrides known = this.overrides;
		return (known == null) ? null : known.of(ofCaller, known.dependOnKey() ? key(caller, endpoint) : null);
	}

	/** The key; {@code null} if it cannot be resolved, which the charge reports. */
	private @Nullable BucketKey key(Caller caller, @Nullable String endpoint) {
		try {
			return this.key.of(caller, endpoint);
		}
		catch (InvalidFactException ex) {
			return null;
		}
	}

	/**
	 * The limit of a plan, or that of the override, at the rate in force; {@code null} if
	 * the plan is unlimited, or the caller is exempt.
	 */
	@Nullable Limit limit(@Nullable String plan, @Nullable CallerOverride override) {
		Limit limit = configuredLimit(plan, override);
		return (limit != null && this.adaptive != null) ? this.adaptive.reduce(limit) : limit;
	}

	private @Nullable Limit configuredLimit(@Nullable String plan, @Nullable CallerOverride override) {
		if (override != null) {
			return switch (override.effect()) {
				case LIMIT -> override.limits().get(this.rule.id());
				case EXEMPT -> null;
				case BLOCKED -> this.rule.limits().standard();
			};
		}
		return this.rule.limits().of(plan);
	}

	/**
	 * The caller's plan; {@code null} for none, and if the rule does not depend on it.
	 */
	@Nullable String planOf(Caller caller) {
		return this.dependsOnPlan ? caller.plan() : null;
	}

	/**
	 * The charge for a caller; {@code null} if the caller lacks a part of the key.
	 * @throws InvalidFactException if the key or the cost is not valid for the request
	 */
	@Nullable RuleCharge ruleCharge(Limit limit, Caller caller, MatchedRule match, @Nullable CallerOverride override) {
		BucketKey bucket = this.key.of(caller, match.endpoint());
		if (bucket == null) {
			return null;
		}
		String plan = planOf(caller);
		Decision block = block(override);
		RuleChargeOptions options = counted(optionsFor(bucket, block), caller, bucket,
				isReduced(limit, plan, override));
		return new RuleCharge(this, plan, bucket, limit, this.cost.of(caller), options.waiting(), options.immediate(),
				match.named() ? this.named : this.unnamed, block);
	}

	private @Nullable Decision block(@Nullable CallerOverride override) {
		return (this.overrides != null) ? this.overrides.block(override) : null;
	}

	/**
	 * The charge for a request that may be a preflight and lacks a value for the key or
	 * the cost: 1 permit of its address. A preflight has no headers of the application.
	 */
	RuleCharge chargePreflight(Caller caller, @Nullable CallerOverride override) {
		BucketKey bucket = this.key.ofAddress(caller);
		Decision block = block(override);
		Limit standard = this.rule.limits().standard();
		Limit limit = (this.adaptive != null) ? this.adaptive.reduce(standard) : standard;
		RuleChargeOptions options = counted(optionsFor(bucket, block), Caller.UNKNOWN, bucket,
				isReduced(limit, null, null));
		return new RuleCharge(this, null, bucket, limit, 1, options.waiting(), options.immediate(), null, block);
	}

	/**
	 * Whether a caller may read the level of its bucket without a request that the rule
	 * applies to: the rule is public, and neither its key nor its condition needs the
	 * target of such a request. A conditional charge, such as for a failed login, would
	 * show what others have done to an account.
	 */
	boolean isShownToCallers() {
		boolean ofTarget = this.key.readsTarget() || (this.condition != null && this.condition.readsTarget());
		return appliesToRequests() && !ofTarget && !this.rule.isShadow() && this.rule.chargePolicy().isStandard()
				&& this.rule.options().visibility() == HeaderVisibility.SHOWN;
	}

	/**
	 * A charge of 0 permits on the caller's bucket; {@code null} if the rule does not
	 * apply to the caller, or the plan is unlimited.
	 * @throws InvalidFactException if the condition or the key is not valid for the
	 * request
	 */
	@Nullable RuleCharge inspection(Caller caller, OverridesOfCaller ofCaller) {
		return appliesTo(caller) ? inspection(caller, planOf(caller), override(ofCaller, caller, null)) : null;
	}

	private @Nullable RuleCharge inspection(Caller caller, @Nullable String plan, @Nullable CallerOverride override) {
		Limit limit = limit(plan, override);
		BucketKey bucket = (limit != null) ? this.key.of(caller, null) : null;
		if (limit == null || bucket == null) {
			return null;
		}
		Decision block = block(override);
		return new RuleCharge(this, plan, bucket, limit, 0, optionsFor(bucket, block).immediate(), block);
	}

	/**
	 * The buckets of a caller, on each plan that is possible; none if the query does not
	 * determine the key.
	 */
	List<RuleCharge> chargesOf(CallerQuery caller) {
		List<RuleCharge> ruleCharges = new ArrayList<>();
		if (!this.key.isDeterminedBy(caller) || (isOnAnyPlan() && caller.user() != null && caller.plan() == null)) {
			return ruleCharges;
		}
		OverridesOfCaller ofCaller = new OverridesOfCaller(caller);
		for (String plan : plansOf(caller.plan())) {
			CallerQuery onPlan = caller.withPlan(plan);
			RuleCharge ruleCharge = inspection(onPlan, plan, unlessExempt(override(ofCaller, onPlan, null)));
			if (ruleCharge != null) {
				ruleCharges.add(ruleCharge);
			}
		}
		return ruleCharges;
	}

	/** An exempt caller may have a bucket from before, which operators can reset. */
	private static @Nullable CallerOverride unlessExempt(@Nullable CallerOverride override) {
		return (override != null && override.effect() == Effect.EXEMPT) ? null : override;
	}

	/** Whether there are buckets for plans that no rule lists. */
	private boolean isOnAnyPlan() {
		return this.dependsOnPlan && this.rule.limits().plans().isEmpty();
	}

	/**
	 * The plans of a query. A query without a plan selects all plans that the rule lists,
	 * and no plan.
	 */
	List<@Nullable String> plansOf(@Nullable String plan) {
		List<@Nullable String> plans = new ArrayList<>();
		if (this.dependsOnPlan && plan == null) {
			plans.addAll(new TreeSet<>(this.rule.limits().plans().keySet()));
		}
		plans.add(this.dependsOnPlan ? plan : null);
		return plans;
	}

	/**
	 * The parts of the keys of the rule's buckets, except for the plan.
	 * @return the names in the rule's scope in alphabetical order, and {@code key} for
	 * its expression; empty for a rule with one bucket
	 */
	public List<String> keyParts() {
		return this.key.names();
	}

	/** The bucket of a key as the store has it. */
	BucketKey storedBucket(String stored) {
		return this.key.ofStored(stored);
	}

	/**
	 * A charge of 0 permits on the bucket of a key as the store has it; {@code null} if
	 * the plan is unlimited. A plan that the rule does not list counts as none. Of
	 * overrides, only those of keys are known.
	 */
	@Nullable RuleCharge storedCharge(String stored, @Nullable String plan) {
		String listed = (plan != null && this.rule.limits().plans().containsKey(plan)) ? plan : null;
		CallerOverride override = (this.overrides != null) ? this.overrides.ofKey(stored) : null;
		Limit limit = limit(listed, override);
		if (limit == null) {
			return null;
		}
		BucketKey bucket = storedBucket(stored);
		Decision block = block(override);
		return new RuleCharge(this, listed, bucket, limit, 0, optionsFor(bucket, block).immediate(), block);
	}

	/**
	 * The charge for a program's permit request; {@code null} if the plan is unlimited.
	 */
	@Nullable RuleCharge ruleCharge(PermitRequest request) {
		return ruleCharge(request, RuleChargeOptions::immediate);
	}

	/**
	 * The charge for a program that waits for its permits; {@code null} if the plan is
	 * unlimited.
	 */
	@Nullable RuleCharge waitingCharge(PermitRequest request) {
		return ruleCharge(request, RuleChargeOptions::waiting);
	}

	/** The charge for a program's reservation; {@code null} if the plan is unlimited. */
	@Nullable RuleCharge reservation(PermitRequest request) {
		return ruleCharge(request, RuleChargeOptions::reserving);
	}

	/**
	 * A charge of 0 permits on the bucket of a key, also if its caller is exempt;
	 * {@code null} if the plan is unlimited.
	 */
	@Nullable RuleCharge inspection(List<String> key, @Nullable String plan) {
		PermitRequest request = new PermitRequest(this.rule.id(), key, 0, plan);
		BucketKey bucket = this.key.of(key, plan);
		return ruleCharge(request, bucket, unlessExempt(override(request, bucket)), RuleChargeOptions::immediate);
	}

	private @Nullable RuleCharge ruleCharge(PermitRequest request, Function<RuleChargeOptions, ChargeOptions> kind) {
		BucketKey bucket = this.key.of(request.key(), request.plan());
		return ruleCharge(request, bucket, override(request, bucket), kind);
	}

	private @Nullable CallerOverride override(PermitRequest request, BucketKey bucket) {
		return (this.overrides != null) ? this.overrides.of(new OverridesOfCaller(callerOf(request)), bucket) : null;
	}

	private @Nullable RuleCharge ruleCharge(PermitRequest request, BucketKey bucket, @Nullable CallerOverride override,
			Function<RuleChargeOptions, ChargeOptions> kind) {
		Limit limit = limit(request.plan(), override);
		if (limit == null) {
			return null;
		}
		Decision block = block(override);
		RuleChargeOptions options = counted(optionsFor(bucket, block), callerToBan(request), bucket,
				isReduced(limit, request.plan(), override));
		return new RuleCharge(this, this.dependsOnPlan ? request.plan() : null, bucket, limit, request.cost(),
				kind.apply(options), options.immediate(), null, block);
	}

	/** The caller if the rule has a ban. Without one, the facts are not needed. */
	private Caller callerToBan(PermitRequest request) {
		return (this.rule.options().ban() != null) ? callerOf(request) : Caller.UNKNOWN;
	}

	/** The facts of a caller that the key of a permit request contains. */
	private CallerQuery callerOf(PermitRequest request) {
		return new CallerQuery(part(request, Scope.USER), part(request, Scope.IP), request.plan());
	}

	private @Nullable String part(PermitRequest request, String name) {
		int index = this.key.names().indexOf(name);
		return (index >= 0) ? request.key().get(index) : null;
	}

}
