package io.tierlimit.key;

import java.util.Set;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The caller's plan.
 *
 * @param listed the plans that the rule lists; any other plan counts as no plan. Empty:
 * every plan has its own bucket
 * @param ofUsersOnly whether callers without a user lack this part
 */
record PlanPart(Set<String> listed, boolean ofUsersOnly) implements KeyPart {

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
		if (value != null && this.listed.contains(value)) {
			key.addConstant(value);
		}
		else {
			KeyPart.super.addTo(key, this.listed.isEmpty() ? value : null);
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
