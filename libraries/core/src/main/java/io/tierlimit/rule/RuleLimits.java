package io.tierlimit.rule;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.tierlimit.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a rule, and the limits of the plans that it lists.
 *
 * @param standard the limit of callers without a plan, or with one that is not listed
 * @param plans the limits of the listed plans by their names
 */
public record RuleLimits(Limit standard, Map<String, PlanLimit> plans) {

	/**
	 * Creates limits.
	 */
	public RuleLimits {
		plans = Map.copyOf(plans);
	}

	/**
	 * Creates limits that are the same for every plan.
	 * @param standard the limit
	 */
	public RuleLimits(Limit standard) {
		this(standard, Map.of());
	}

	/**
	 * Whether every limit supports the reservation of permits that are not yet available.
	 * @return whether they can
	 */
	public boolean areReservable() {
		return this.standard.isReservable()
				&& this.plans.values().stream().allMatch((plan) -> plan.limit() == null || plan.limit().isReservable());
	}

	/**
	 * Whether these limits allow a caller less than other ones.
	 * @param other the other limits
	 * @return whether the limit of a plan, or that of all other plans, has a lower rate
	 * or a smaller capacity
	 */
	public boolean areLowerThan(RuleLimits other) {
		Set<String> listed = new HashSet<>(this.plans.keySet());
		listed.addAll(other.plans.keySet());
		return isLower(this.standard, other.standard)
				|| listed.stream().anyMatch((plan) -> isLower(of(plan), other.of(plan)));
	}

	private static boolean isLower(@Nullable Limit limit, @Nullable Limit other) {
		return limit != null
				&& (other == null || limit.capacity() < other.capacity() || limit.rate().isLowerThan(other.rate()));
	}

	/**
	 * The limit of a plan.
	 * @param plan the caller's plan, or {@code null}
	 * @return the plan's limit if it is listed, otherwise the standard limit;
	 * {@code null} if the plan is unlimited
	 */
	public @Nullable Limit of(@Nullable String plan) {
		PlanLimit listed = (plan != null) ? this.plans.get(plan) : null;
		return (listed != null) ? listed.limit() : this.standard;
	}

}
