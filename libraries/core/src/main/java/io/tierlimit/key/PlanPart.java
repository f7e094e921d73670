package io.tierlimit.key;

import io.tierlimit.rule.RuleLimits;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The part of a key that is the caller's plan.
 *
 * @param limits the limits of the rule. If the rule lists plans, any other plan is
 * replaced by the default plan of the rule, or by no plan if it has none. Otherwise,
 * every plan has its own bucket
 * @param ofUsersOnly whether the part is missing for callers without a user
 */
record PlanPart(RuleLimits limits, boolean ofUsersOnly) implements KeyPart {

	@Override
	public Result addTo(KeyBuilder key, Caller caller, @Nullable String endpoint) {
		if (this.ofUsersOnly && caller.user() == null) {
			return Result.MISSING;
		}
		addTo(key, caller.plan());
		return Result.ADDED;
	}

	@Override
	public void addTo(KeyBuilder key, @Nullable String value) {
		String listed = this.limits.listed(value);
		if (listed != null) {
			key.addConstant(listed);
		}
		else {
			KeyPart.super.addTo(key, this.limits.plans().isEmpty() ? value : null);
		}
	}

	@Override
	public boolean needsAuthentication() {
		return true;
	}

	@Override
	public Role role() {
		return Role.PLAN;
	}

}
