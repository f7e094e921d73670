package io.tierlimit;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a plan may spend, as part of a {@link RuleDefinition}. Immutable.
 */
public final class PlanDefinition {

	private final Map<String, String> properties;

	PlanDefinition(Map<String, String> properties) {
		this.properties = Map.copyOf(properties);
	}

	/**
	 * Says how fast permits come.
	 * @param rate permits per period, such as {@code 10/s}
	 * @return the plan with it
	 */
	public PlanDefinition rate(String rate) {
		return with("rate", rate);
	}

	/**
	 * Says how many permits a token bucket can save.
	 * @param burst permits, 1 or more
	 * @return the plan with it
	 */
	public PlanDefinition burst(long burst) {
		return with("burst", Long.toString(burst));
	}

	/**
	 * Says how many permits can add up in a fixed window.
	 * @param capacity permits, as many as the rate has or more
	 * @return the plan with it
	 */
	public PlanDefinition capacity(long capacity) {
		return with("capacity", Long.toString(capacity));
	}

	/**
	 * Says that the plan has no limit.
	 * @return the plan without one
	 */
	public PlanDefinition unlimited() {
		return with("unlimited", "true");
	}

	Map<String, String> properties() {
		return this.properties;
	}

	private PlanDefinition with(String property, String value) {
		Map<String, String> more = new LinkedHashMap<>(this.properties);
		more.put(property, value);
		return new PlanDefinition(more);
	}

}
