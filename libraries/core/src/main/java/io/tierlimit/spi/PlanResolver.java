package io.tierlimit.spi;

import org.jspecify.annotations.Nullable;

/**
 * Finds the plan of a caller. Called at most once per request, unless it throws
 * {@link InvalidRequestValueException}.
 */
@FunctionalInterface
public interface PlanResolver {

	/**
	 * Finds the plan.
	 * @param caller the caller, whose {@link Caller#plan()} must not be read
	 * @return the plan's name, or {@code null} for none
	 * @throws InvalidRequestValueException if a client-supplied value cannot be read. The
	 * request is rejected with status 400. After any other exception, the caller has no
	 * plan
	 */
	@Nullable String resolve(Caller caller);

}
