package io.tierlimit.evaluation;

import java.util.Map;

import io.tierlimit.key.Caller;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.KeyResolver;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;

import org.jspecify.annotations.Nullable;

/**
 * A rule with its expressions parsed and its key resolvers found.
 */
final class CompiledRule {

	private final Rule rule;

	private final @Nullable CallerExpression condition;

	private final RuleKey key;

	private final Cost cost;

	private final OncePerRule failures;

	CompiledRule(Rule rule, Map<String, KeyResolver> resolvers, OncePerRule failures) {
		String text = rule.selection().condition();
		this.rule = rule;
		this.condition = (text != null) ? CallerExpression.parse(text) : null;
		this.key = new RuleKey(rule, resolvers, failures);
		this.cost = Cost.parse(rule.id(), rule.cost(), failures);
		this.failures = failures;
	}

	Rule rule() {
		return this.rule;
	}

	/** Whether the condition lets the rule hold; it does where the condition fails. */
	boolean holds(Caller caller) {
		if (this.condition == null) {
			return true;
		}
		try {
			return !Boolean.FALSE.equals(this.condition.evaluate(caller));
		}
		catch (RuntimeException ex) {
			this.failures.warn(this.rule.id(),
					"holds where its condition '" + this.condition + "' fails (" + ex.getClass().getSimpleName() + ")");
			return true;
		}
	}

	/** The caller's limit; {@code null} if the caller's plan is unlimited. */
	@Nullable Limit limit(Caller caller) {
		Limits limits = this.rule.limits();
		return limits.plans().isEmpty() ? limits.standard() : limits.of(caller.plan());
	}

	/** The charge; {@code null} if the caller lacks what the key needs. */
	@Nullable Charge charge(Limit limit, Caller caller, @Nullable String path) {
		String bucket = this.key.of(caller, path);
		if (bucket == null) {
			return null;
		}
		return new Charge(new BucketKey(this.rule.id(), bucket), limit, this.cost.of(caller), this.rule.isShadow());
	}

	/** The charge that a program asks for; {@code null} if the plan is unlimited. */
	@Nullable Charge charge(Claim claim) {
		Limit limit = this.rule.limits().of(claim.plan());
		if (limit == null) {
			return null;
		}
		BucketKey bucket = new BucketKey(this.rule.id(), this.key.of(claim));
		return new Charge(bucket, limit, claim.cost(), this.rule.isShadow());
	}

}
