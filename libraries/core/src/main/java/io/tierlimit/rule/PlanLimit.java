package io.tierlimit.rule;

import io.tierlimit.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a plan, which replaces the limit of the rule.
 *
 * @param limit the limit, or {@code null} if the plan is unlimited
 */
public record PlanLimit(@Nullable Limit limit) {

	/** Callers on the plan are not charged. */
	public static final PlanLimit UNLIMITED = new PlanLimit(null);

}
