package io.tierlimit.key;

import java.util.List;

import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;

/**
 * Calls several resolvers in their order. The first plan that a resolver returns is used.
 * A blank string is not a plan. If a resolver fails, the next one is called, and a
 * warning is logged once.
 */
public final class CompositePlanResolver implements PlanResolver {

	private final List<PlanResolver> resolvers;

	private final @Nullable String defaultPlan;

	private final OnceLogger warnings = new OnceLogger(CompositePlanResolver.class);

	/**
	 * Creates a resolver.
	 * @param resolvers the resolvers
	 * @param defaultPlan the plan if none of them returns one, or {@code null}
	 */
	public CompositePlanResolver(List<PlanResolver> resolvers, @Nullable String defaultPlan) {
		this.resolvers = List.copyOf(resolvers);
		this.defaultPlan = defaultPlan;
	}

	/**
	 * Returns the plan of the first resolver that has one, or the default plan.
	 * @throws InvalidRequestValueException if a resolver needs a fact that cannot be read
	 */
	@Override
	public @Nullable String resolve(Caller caller) {
		for (PlanResolver resolver : this.resolvers) {
			String plan = planOf(caller, resolver);
			if (plan != null && !plan.isBlank()) {
				return plan;
			}
		}
		return this.defaultPlan;
	}

	private @Nullable String planOf(Caller caller, PlanResolver resolver) {
		try {
			return resolver.resolve(caller);
		}
		catch (RuntimeException ex) {
			InvalidRequestValueException invalid = InvalidRequestValueException.find(ex);
			if (invalid != null) {
				throw invalid;
			}
			this.warnings.warn(resolver, "A source of plans failed, so the next source decides", ex);
			return null;
		}
	}

}
