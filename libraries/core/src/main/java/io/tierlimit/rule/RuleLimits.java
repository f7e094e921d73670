package io.tierlimit.rule;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.tierlimit.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a rule, and the limits of the plans that it lists.
 *
 * @param standard the limit of callers without a listed plan
 * @param plans the limits of the listed plans by their names
 * @param defaultPlan the listed plan whose limit and buckets also apply to callers
 * without a listed plan; {@code null} if these callers have their own limit and buckets
 */
public record RuleLimits(Limit standard, Map<String, PlanLimit> plans, @Nullable String defaultPlan) {

	/**
	 * Creates limits.
	 * @throws IllegalArgumentException if the limit differs from the limit of the default
	 * plan, or if requests hold permits under one limit and consume permits under another
	 */
	public RuleLimits {
		plans = Map.copyOf(plans);
		for (PlanLimit plan : plans.values()) {
			if (plan.limit() != null
					&& plan.limit().algorithm().holdsPermits() != standard.algorithm().holdsPermits()) {
				throw new IllegalArgumentException("concurrency must be the algorithm of all limits of a rule (was "
						+ standard + " and " + plan.limit() + ")");
			}
		}
		if (defaultPlan != null && !new PlanLimit(standard).equals(plans.get(defaultPlan))) {
			throw new IllegalArgumentException(
					"the limit must be the limit of the default plan '" + defaultPlan + "' (was " + standard + ")");
		}
	}

	/**
	 * Creates the limits of a rule with its own limit.
	 * @param standard the limit of callers without a listed plan
	 * @param plans the limits of the listed plans by their names
	 */
	public RuleLimits(Limit standard, Map<String, PlanLimit> plans) {
		this(standard, plans, null);
	}

	/**
	 * Creates limits that are the same for every plan.
	 * @param standard the limit
	 */
	public RuleLimits(Limit standard) {
		this(standard, Map.of());
	}

	/**
	 * Creates the limits of a rule without its own limit.
	 * @param plans the limits of the listed plans by their names
	 * @param defaultPlan the plan whose limit and buckets also apply to callers without a
	 * listed plan
	 * @return the limits; {@code null} if the default plan is not listed, or is unlimited
	 */
	public static @Nullable RuleLimits ofPlans(Map<String, PlanLimit> plans, String defaultPlan) {
		PlanLimit listed = plans.get(defaultPlan);
		Limit standard = (listed != null) ? listed.limit() : null;
		return (standard != null) ? new RuleLimits(standard, plans, defaultPlan) : null;
	}

	/**
	 * The plan whose limit and bucket apply to a caller.
	 * @param plan the caller's plan, or {@code null}
	 * @return the plan if it is listed, otherwise the default plan of the limits;
	 * {@code null} if the limit and the bucket of callers without a listed plan apply
	 */
	public @Nullable String listed(@Nullable String plan) {
		return (plan != null && this.plans.containsKey(plan)) ? plan : this.defaultPlan;
	}

	/**
	 * Whether every limit supports the reservation of permits that are not yet available.
	 * @return whether permits of every limit can be reserved
	 */
	public boolean areReservable() {
		return this.standard.isReservable()
				&& this.plans.values().stream().allMatch((plan) -> plan.limit() == null || plan.limit().isReservable());
	}

	/**
	 * Whether requests hold permits until they end.
	 * @return whether permits are held; otherwise they are consumed
	 */
	public boolean holdPermits() {
		return this.standard.algorithm().holdsPermits();
	}

	/**
	 * Whether requests can wait for permits of every limit.
	 * @return whether permits can be reserved, or are in use until they are released
	 */
	public boolean allowWaiting() {
		return areReservable() || holdPermits();
	}

	/**
	 * Checks that requests consume permits, instead of holding them until they end.
	 * @param property the property that requires this
	 * @throws IllegalArgumentException if the algorithm is concurrency
	 */
	public void requireConsumedPermits(String property) {
		if (holdPermits()) {
			throw new IllegalArgumentException(property + " is not supported by concurrency");
		}
	}

	/**
	 * Whether these limits allow a caller less than other limits.
	 * @param other the other limits
	 * @return whether the limit of a listed plan, or of all other plans, has a lower rate
	 * or a smaller capacity, or another kind of permits
	 */
	boolean areLowerThan(RuleLimits other) {
		Set<String> listed = new HashSet<>(this.plans.keySet());
		listed.addAll(other.plans.keySet());
		return isLower(this.standard, other.standard)
				|| listed.stream().anyMatch((plan) -> isLower(of(plan), other.of(plan)));
	}

	private static boolean isLower(@Nullable Limit limit, @Nullable Limit other) {
		return limit != null && (other == null || limit.isLowerThan(other));
	}

	/**
	 * The limit of a plan.
	 * @param plan the caller's plan, or {@code null}
	 * @return the limit of the plan if the plan is listed, otherwise the standard limit;
	 * {@code null} if the plan is unlimited
	 */
	public @Nullable Limit of(@Nullable String plan) {
		PlanLimit listed = (plan != null) ? this.plans.get(plan) : null;
		return (listed != null) ? listed.limit() : this.standard;
	}

}
