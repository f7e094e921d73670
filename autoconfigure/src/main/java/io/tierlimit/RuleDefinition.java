package io.tierlimit;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.rule.Anonymous;
import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.HeaderVisibility;
import io.tierlimit.rule.Mode;

/**
 * A rule that is written in code. As a bean it is read, checked and put in force like one
 * of the configuration, beside those: what is wrong with it stops the start, together
 * with all other mistakes. What is not said is as it is there. Immutable: every method
 * returns another definition.
 */
public final class RuleDefinition {

	private final String id;

	private final Map<String, String> properties;

	private RuleDefinition(String id, Map<String, String> properties) {
		this.id = id;
		this.properties = Collections.unmodifiableMap(properties);
	}

	/**
	 * Begins a rule.
	 * @param id the public name: letters, digits, dots, dashes and underscores
	 * @return a rule that needs a rate at least
	 */
	public static RuleDefinition of(String id) {
		return new RuleDefinition(id, new LinkedHashMap<>());
	}

	/**
	 * Says what the rule is held against.
	 * @param appliesTo requests, or methods: only where an annotation names it, or a
	 * program limits
	 * @return the rule with it
	 */
	public RuleDefinition appliesTo(AppliesTo appliesTo) {
		return with("applies-to", name(appliesTo));
	}

	/**
	 * Says whose bucket.
	 * @param scope {@code global}, {@code ip}, {@code user}, {@code endpoint},
	 * {@code plan}, the names of key resolvers
	 * @return the rule with it
	 */
	public RuleDefinition scope(String... scope) {
		return withAll("scope", scope);
	}

	/**
	 * Selects requests by path.
	 * @param paths path patterns, one of which must match
	 * @return the rule with it
	 */
	public RuleDefinition paths(String... paths) {
		return withAll("paths", paths);
	}

	/**
	 * Leaves requests out by path.
	 * @param paths path patterns, none of which may match
	 * @return the rule with it
	 */
	public RuleDefinition excludePaths(String... paths) {
		return withAll("exclude-paths", paths);
	}

	/**
	 * Selects requests by method.
	 * @param methods HTTP methods, one of which must match
	 * @return the rule with it
	 */
	public RuleDefinition methods(String... methods) {
		return withAll("methods", methods);
	}

	/**
	 * Selects callers.
	 * @param condition SpEL over the caller: the rule applies unless it is false
	 * @return the rule with it
	 */
	public RuleDefinition condition(String condition) {
		return with("condition", condition);
	}

	/**
	 * Chooses what becomes of time and permits.
	 * @param algorithm the algorithm
	 * @return the rule with it
	 */
	public RuleDefinition algorithm(Algorithm algorithm) {
		return with("algorithm", name(algorithm));
	}

	/**
	 * Says how fast permits come.
	 * @param rate permits per period, such as {@code 10/s} or {@code 1000/15m}
	 * @return the rule with it
	 */
	public RuleDefinition rate(String rate) {
		return with("rate", rate);
	}

	/**
	 * Says how many permits a token bucket can save.
	 * @param burst permits, 1 or more
	 * @return the rule with it
	 */
	public RuleDefinition burst(long burst) {
		return with("burst", Long.toString(burst));
	}

	/**
	 * Says how many permits a token bucket can save.
	 * @param time what so much time earns, in whole milliseconds
	 * @return the rule with it
	 * @throws IllegalArgumentException if that is another time
	 */
	public RuleDefinition burst(Duration time) {
		if (!time.equals(Duration.ofMillis(time.toMillis()))) {
			throw new IllegalArgumentException("A burst is earned in whole milliseconds, but not in " + time);
		}
		return with("burst", time.toMillis() + "ms");
	}

	/**
	 * Says how many permits can add up in a fixed window.
	 * @param capacity permits, as many as the rate has or more
	 * @return the rule with it
	 */
	public RuleDefinition capacity(long capacity) {
		return with("capacity", Long.toString(capacity));
	}

	/**
	 * Says when fixed windows begin.
	 * @param start an offset from 1970-01-01T00:00Z, shorter than the period
	 * @return the rule with it
	 */
	public RuleDefinition start(Duration start) {
		return with("start", start.toString());
	}

	/**
	 * Gives a plan a limit of its own.
	 * @param plan the name of the plan, without square brackets
	 * @param limit says which
	 * @return the rule with it
	 * @throws IllegalArgumentException if the name is blank or has square brackets
	 */
	public RuleDefinition plan(String plan, UnaryOperator<PlanDefinition> limit) {
		if (plan.isBlank() || plan.contains("[") || plan.contains("]")) {
			throw new IllegalArgumentException(
					"Rule '" + this.id + "': A plan has a name without square brackets, but one was '" + plan
							+ "'. Give another name to it.");
		}
		return withPlan(plan, limit.apply(new PlanDefinition(Map.of())));
	}

	/**
	 * Says whose bucket, alone or as one more part of the scope.
	 * @param key SpEL over the caller
	 * @return the rule with it
	 */
	public RuleDefinition key(String key) {
		return with("key", key);
	}

	/**
	 * Says what a request takes.
	 * @param cost permits, 0 or more
	 * @return the rule with it
	 */
	public RuleDefinition cost(long cost) {
		return with("cost", Long.toString(cost));
	}

	/**
	 * Says what a request takes.
	 * @param cost SpEL over the caller
	 * @return the rule with it
	 */
	public RuleDefinition cost(String cost) {
		return with("cost", cost);
	}

	/**
	 * Says whether callers are told.
	 * @param headers shown or hidden
	 * @return the rule with it
	 */
	public RuleDefinition headers(HeaderVisibility headers) {
		return with("headers", name(headers));
	}

	/**
	 * Says what becomes of callers who lack what the key needs.
	 * @param anonymous what the rule does with them
	 * @return the rule with it
	 */
	public RuleDefinition anonymous(Anonymous anonymous) {
		return with("anonymous", name(anonymous));
	}

	/**
	 * Says whether the rule refuses.
	 * @param mode enforce or shadow
	 * @return the rule with it
	 */
	public RuleDefinition mode(Mode mode) {
		return with("mode", name(mode));
	}

	/**
	 * Charges for what happened.
	 * @param charge what must happen for a charge to stand: response statuses such as
	 * {@code 401} or {@code 5xx}, {@code authentication-failure},
	 * {@code authentication-success}
	 * @return the rule with it
	 */
	public RuleDefinition charge(String... charge) {
		return withAll("charge", charge);
	}

	/**
	 * Resets the bucket.
	 * @param resetOn what must happen for that: response statuses of what the paths name,
	 * {@code authentication-success} of the account that the key names
	 * @return the rule with it
	 */
	public RuleDefinition resetOn(String... resetOn) {
		return withAll("reset-on", resetOn);
	}

	/**
	 * Lets programs reserve permits that have not come yet.
	 * @param permits how many a bucket may owe
	 * @return the rule with it
	 */
	public RuleDefinition maxReserved(long permits) {
		return with("max-reserved", Long.toString(permits));
	}

	/**
	 * Lets requests and calls wait for their permits.
	 * @param time how long at most
	 * @return the rule with it
	 */
	public RuleDefinition maxWait(Duration time) {
		return with("max-wait", time.toString());
	}

	/**
	 * Says what the rule does while a shared store can't be reached.
	 * @param onFailure what it does
	 * @return the rule with it
	 */
	public RuleDefinition onStoreFailure(StoreFailurePolicy onFailure) {
		return with("on-store-failure", name(onFailure));
	}

	/**
	 * Says whether an instance may refuse by what a shared store told it less than a
	 * second ago.
	 * @param remember whether it may
	 * @return the rule with it
	 */
	public RuleDefinition rememberRefusals(boolean remember) {
		return with("remember-refusals", Boolean.toString(remember));
	}

	/**
	 * The public name.
	 * @return the id
	 */
	public String id() {
		return this.id;
	}

	/**
	 * What was said, as the configuration would say it.
	 * @return texts by the names of properties below {@code tierlimit.rules.<id>}
	 */
	public Map<String, String> properties() {
		return this.properties;
	}

	private RuleDefinition with(String property, String value) {
		Map<String, String> more = new LinkedHashMap<>(this.properties);
		more.put(property, value);
		return new RuleDefinition(this.id, more);
	}

	private RuleDefinition withAll(String property, String... values) {
		Map<String, String> more = new LinkedHashMap<>(this.properties);
		more.keySet().removeIf((name) -> name.startsWith(property + "["));
		for (int i = 0; i < values.length; i++) {
			more.put(property + "[" + i + "]", values[i]);
		}
		return new RuleDefinition(this.id, more);
	}

	private RuleDefinition withPlan(String plan, PlanDefinition limit) {
		Map<String, String> more = new LinkedHashMap<>(this.properties);
		more.keySet().removeIf((name) -> name.startsWith("plans[" + plan + "]."));
		// A plan of which nothing is said would not be there.
		Map<String, String> said = limit.properties().isEmpty() ? Map.of("unlimited", "false") : limit.properties();
		said.forEach((name, value) -> more.put("plans[" + plan + "]." + name, value));
		return new RuleDefinition(this.id, more);
	}

	private static String name(Enum<?> constant) {
		return constant.name();
	}

	@Override
	public String toString() {
		return "Rule '" + this.id + "' " + this.properties;
	}

}
