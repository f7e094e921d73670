package io.tierlimit.key;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;

/**
 * Reads the plan from the caller's authorities: {@code PLAN_pro} is the plan {@code pro}.
 * If there are several, the first in alphabetical order is used.
 */
public final class AuthorityPlanResolver implements PlanResolver {

	private final String prefix;

	/**
	 * Creates a resolver.
	 * @param prefix the prefix of authorities that contain a plan
	 */
	public AuthorityPlanResolver(String prefix) {
		this.prefix = prefix;
	}

	@Override
	public @Nullable String resolve(Caller caller) {
		String first = null;
		for (String authority : caller.authorities()) {
			if (authority.startsWith(this.prefix) && (first == null || authority.compareTo(first) < 0)) {
				first = authority;
			}
		}
		return (first != null) ? first.substring(this.prefix.length()) : null;
	}

}
