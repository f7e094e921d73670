package io.tierlimit.key;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;

/**
 * Reads the plan from the caller's authorities: {@code PLAN_pro} is the plan {@code pro}.
 * If there are several, the first in alphabetical order is used.
 *
 * @param prefix the prefix of authorities that contain a plan
 */
public record AuthorityPlanResolver(String prefix) implements PlanResolver {

	@Override
	public @Nullable String resolve(Caller caller) {
		String first = null;
		for (String authority : caller.authorities()) {
			String plan = authority.startsWith(this.prefix) ? authority.substring(this.prefix.length()) : "";
			if (!plan.isBlank() && (first == null || plan.compareTo(first) < 0)) {
				first = plan;
			}
		}
		return first;
	}

}
