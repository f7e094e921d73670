package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import io.tierlimit.AppliesTo;
import io.tierlimit.PermitRequest;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.ChargeOptions;
import io.tierlimit.spi.InvalidFactException;
import io.tierlimit.spi.KeyResolver;
import org.jspecify.annotations.Nullable;

/**
 * A rule with its expressions parsed and its key resolvers found: what an evaluator holds
 * callers against.
 */
public final class CompiledRule {

	private final Rule rule;

	private final @Nullable CallerExpression condition;

	private final RuleKey key;

	private final Cost cost;

	private final boolean needsAuthentication;

	private final boolean dependsOnPlan;

	/**
	 * ChargeOptions of requests that can wait, of those that can't, and of reservations.
	 */
	private final ChargeOptions waiting;

	private final ChargeOptions options;

	private final ChargeOptions reserving;

	/** Of requests for what the rule names, and of others; null: nothing resets. */
	private final @Nullable ResetPolicy named;

	private final @Nullable ResetPolicy unnamed;

	private final OnceLogger warnings;

	CompiledRule(Rule rule, Collection<String> arguments, Map<String, KeyResolver> resolvers, KeyHash hash,
			OnceLogger warnings) {
		String text = rule.selection().condition();
		this.rule = rule;
		this.condition = (text != null) ? CallerExpression.parseCondition(text) : null;
		this.key = new RuleKey(rule, arguments, resolvers, hash, warnings);
		this.cost = Cost.parse(rule, arguments, warnings);
		this.needsAuthentication = this.key.needsAuthentication() || this.cost.readsIdentity()
				|| (this.condition != null && this.condition.readsIdentity());
		this.dependsOnPlan = !rule.limits().plans().isEmpty() || rule.scope().names().contains(Scope.PLAN);
		this.options = options(rule, Overdraft.NONE);
		this.waiting = options(rule, rule.reservations().byWaiting());
		this.reserving = options(rule, rule.reservations().byProgram());
		this.named = resetTerms(true);
		this.unnamed = resetTerms(false);
		this.warnings = warnings;
	}

	private @Nullable ResetPolicy resetTerms(boolean byStatus) {
		return this.rule.chargePolicy().resetOn().isEmpty() ? null : new ResetPolicy(this.key, byStatus);
	}

	private static ChargeOptions options(Rule rule, Overdraft overdraft) {
		// What is remembered as empty may be refunded by any instance.
		boolean remembers = rule.options().store().cacheRejections() && rule.chargePolicy().isStandard();
		return new ChargeOptions(rule.isShadow(), rule.options().store().onFailure(), remembers, overdraft);
	}

	/**
	 * The rule.
	 * @return the rule as it is held
	 */
	public Rule rule() {
		return this.rule;
	}

	/**
	 * Whether callers may have sent a part of the key: it may be a credential.
	 * @return whether a header, a parameter, an argument or a {@link KeyResolver} is in
	 * the key
	 */
	public boolean hasKeyThatCallersSend() {
		return this.key.isSent();
	}

	/**
	 * Whether callers are told apart by the key.
	 * @return whether there is more in it than an endpoint
	 */
	public boolean hasKeyOfCallers() {
		return this.key.isOfCallers();
	}

	/**
	 * Whether buckets belong to accounts.
	 * @return whether something in the key may tell whose account a request is about
	 */
	public boolean isKeyedByAccount() {
		return this.key.namesAccount();
	}

	/**
	 * Whether a bucket is reset by a status, which must be that of what the rule names.
	 * @return whether {@code reset-on} has a status
	 */
	public boolean isResetByStatus() {
		return this.rule.chargePolicy().resetsOnStatus();
	}

	/** Whether the key or the cost needs the arguments of a method call. */
	boolean readsArguments() {
		return this.key.readsArguments() || this.cost.readsArguments();
	}

	/** Whether the rule can only be decided once the caller is authenticated. */
	boolean needsAuthentication() {
		return this.needsAuthentication;
	}

	boolean appliesToRequests() {
		return this.rule.selection().appliesTo() == AppliesTo.REQUESTS;
	}

	/**
	 * Whether the rule applies to a caller: unless its condition is false. It applies
	 * where the condition fails or gives anything else.
	 * @throws InvalidFactException if the condition needs a fact that cannot be read
	 */
	boolean appliesTo(Caller caller) {
		if (this.condition == null) {
			return true;
		}
		try {
			Object value = this.condition.evaluate(caller);
			if (value instanceof Boolean applies) {
				return applies;
			}
			warnOfCondition("is not true or false");
		}
		catch (ExpressionException ex) {
			warnOfCondition("fails: " + ex.getMessage());
		}
		return true;
	}

	private void warnOfCondition(String reason) {
		this.warnings
			.warn("Rule '" + this.rule.id() + "' applies where its condition '" + this.condition + "' " + reason);
	}

	/**
	 * Whether no request costs anything.
	 * @return whether the rule has a fixed cost of 0
	 */
	public boolean isFree() {
		return this.cost.isZero();
	}

	/** The caller's limit; {@code null} if the caller's plan is unlimited. */
	@Nullable Limit limit(Caller caller) {
		RuleLimits limits = this.rule.limits();
		return limits.plans().isEmpty() ? limits.standard() : limits.of(caller.plan());
	}

	/**
	 * The charge for a caller; {@code null} if the caller lacks what the key needs.
	 * @throws InvalidFactException if the key or the cost is not valid for the request
	 */
	@Nullable RuleCharge ruleCharge(Limit limit, Caller caller, MatchedRule match) {
		BucketKey bucket = this.key.of(caller, match.endpoint());
		if (bucket == null) {
			return null;
		}
		return new RuleCharge(this.rule, this.dependsOnPlan ? caller.plan() : null,
				new Charge(bucket, limit, this.cost.of(caller), this.waiting), this.options,
				match.named() ? this.named : this.unnamed);
	}

	/**
	 * The charge for a request that looks like a preflight and lacks what the key or the
	 * cost needs: 1 permit of its address. Browsers send no header of the application
	 * with a preflight.
	 */
	RuleCharge chargePreflight(Caller caller) {
		Charge charge = new Charge(this.key.ofAddress(caller), this.rule.limits().standard(), 1, this.waiting);
		return new RuleCharge(this.rule, null, charge, this.options, null);
	}

	/**
	 * The buckets of a known caller, on each plan that he may have; none if the key
	 * doesn't follow from what is known.
	 */
	List<RuleCharge> chargesOf(CallerQuery caller) {
		List<RuleCharge> ruleCharges = new ArrayList<>();
		if (!this.key.isKnownOf(caller) || (isOnAnyPlan() && caller.user() != null && caller.plan() == null)) {
			return ruleCharges;
		}
		for (String plan : plansOf(caller.plan())) {
			CallerQuery onPlan = caller.on(plan);
			Limit limit = limit(onPlan);
			BucketKey bucket = this.key.of(onPlan, null);
			if (limit != null && bucket != null) {
				ruleCharges.add(new RuleCharge(this.rule, plan, new Charge(bucket, limit, 0, this.options)));
			}
		}
		return ruleCharges;
	}

	/** Whether there are buckets on plans that no rule lists. */
	private boolean isOnAnyPlan() {
		return this.dependsOnPlan && this.rule.limits().plans().isEmpty();
	}

	/**
	 * The plans that an operator asks for: if he names none, all that are listed and
	 * none.
	 */
	List<@Nullable String> plansOf(@Nullable String asked) {
		List<@Nullable String> plans = new ArrayList<>();
		if (this.dependsOnPlan && asked == null) {
			plans.addAll(new TreeSet<>(this.rule.limits().plans().keySet()));
		}
		plans.add(this.dependsOnPlan ? asked : null);
		return plans;
	}

	List<String> keyParts() {
		return this.key.names();
	}

	/** What a program asks for; {@code null} if the plan is unlimited. */
	@Nullable RuleCharge ruleCharge(PermitRequest request) {
		return ruleCharge(request, this.options);
	}

	/** What a program reserves; {@code null} if the plan is unlimited. */
	@Nullable RuleCharge reservation(PermitRequest request) {
		return ruleCharge(request, this.reserving);
	}

	private @Nullable RuleCharge ruleCharge(PermitRequest request, ChargeOptions options) {
		Limit limit = this.rule.limits().of(request.plan());
		if (limit == null) {
			return null;
		}
		return new RuleCharge(this.rule, this.dependsOnPlan ? request.plan() : null,
				new Charge(this.key.of(request.key(), request.plan()), limit, request.cost(), options));
	}

}
