package io.tierlimit.spi;

import org.jspecify.annotations.Nullable;

/**
 * Says which plan a caller is on. Asked at most once a request.
 */
@FunctionalInterface
public interface PlanResolver {

	/**
	 * Finds the plan.
	 * @param caller who asks; its own {@link Caller#plan()} is not known yet
	 * @return the plan's name, or {@code null} for none
	 * @throws InvalidFactException if a client-supplied fact cannot be read: the request
	 * is rejected with status 400. After any other exception the caller has no plan.
	 */
	@Nullable String resolve(Caller caller);

}
