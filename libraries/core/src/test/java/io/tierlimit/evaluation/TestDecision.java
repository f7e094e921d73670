package io.tierlimit.evaluation;

import java.time.Duration;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * A decision for tests of listeners. By default, it charges 1 permit from the only bucket
 * of a rule, without a plan.
 */
public record TestDecision(String rule, @Nullable String plan, boolean shadow, String key, long cost, Limit limit,
		Decision decision, boolean local, boolean hidden) implements RuleDecision {

	/** A decision of a rule that headers show. */
	public TestDecision(String rule, @Nullable String plan, boolean shadow, String key, long cost, Limit limit,
			Decision decision, boolean local) {
		this(rule, plan, shadow, key, cost, limit, decision, local, false);
	}

	/** A decision that allows a request and leaves this number of permits. */
	public static TestDecision allowed(Rule rule, long remaining) {
		return of(rule, new Decision(true, remaining, 0, 0, 0));
	}

	/** A decision that allows a request after a wait. */
	public static TestDecision delayed(Rule rule, Duration wait) {
		return of(rule, new Decision(true, 0, 0, 0, 0, wait.toNanos() / 1000));
	}

	/**
	 * A decision that rejects a request: the bucket has too few permits for one second.
	 */
	public static TestDecision rejected(Rule rule) {
		return of(rule, new Decision(false, 0, 1_000_000, 1_000_000, 1_000_000));
	}

	private static TestDecision of(Rule rule, Decision decision) {
		return new TestDecision(rule.id(), null, rule.isShadow(), "", 1, rule.limits().standard(), decision, false,
				rule.options().visibility() == HeaderVisibility.HIDDEN);
	}

	public TestDecision onPlan(String plan) {
		return new TestDecision(this.rule, plan, this.shadow, this.key, this.cost, this.limit, this.decision,
				this.local, this.hidden);
	}

	public TestDecision onBucket(String key) {
		return new TestDecision(this.rule, this.plan, this.shadow, key, this.cost, this.limit, this.decision,
				this.local, this.hidden);
	}

	public TestDecision cost(long cost) {
		return new TestDecision(this.rule, this.plan, this.shadow, this.key, cost, this.limit, this.decision,
				this.local, this.hidden);
	}

	public TestDecision byThisInstance() {
		return new TestDecision(this.rule, this.plan, this.shadow, this.key, this.cost, this.limit, this.decision, true,
				this.hidden);
	}

	@Override
	public @Nullable String derivedFrom() {
		return this.rule.endsWith(".candidate") ? this.rule.replace(".candidate", "") : null;
	}

}
