package io.tierlimit.key;

import java.util.List;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.PlanResolver;
import org.jspecify.annotations.Nullable;

/**
 * Calls several resolvers in their order: the first that returns a plan decides. A blank
 * text is not a plan.
 */
public final class CompositePlanResolver implements PlanResolver {

	private final List<PlanResolver> resolvers;

	private final @Nullable String defaultPlan;

	/**
	 * Creates a resolver.
	 * @param resolvers the resolvers
	 * @param defaultPlan the plan if none of them returns one, or {@code null}
	 */
	public CompositePlanResolver(List<PlanResolver> resolvers, @Nullable String defaultPlan) {
		this.resolvers = List.copyOf(resolvers);
		this.defaultPlan = defaultPlan;
	}

	@Override
	public @Nullable String resolve(Caller caller) {
		for (PlanResolver resolver : this.resolvers) {
			String plan = resolver.resolve(caller);
			if (plan != null && !plan.isBlank()) {
				return plan;
			}
		}
		return this.defaultPlan;
	}

}
