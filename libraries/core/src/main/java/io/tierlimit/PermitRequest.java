package io.tierlimit;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * A request for permits of one rule, made by code. The named parts of the key select the
 * bucket. Immutable: each method returns a new request.
 *
 * <pre class="code">
 * PermitRequest.of("orders-per-user").user("alice").endpoint("POST /orders").cost(3).plan("pro")
 * </pre>
 *
 * @param rule the rule's id
 * @param parts the parts of the key by their names, in alphabetical order: one for each
 * name in the rule's scope except {@code plan}, and {@code key} if the rule has a key
 * expression; empty for a rule with one bucket
 * @param cost the number of permits, 0 or more
 * @param plan the caller's plan, if the rule has limits or buckets for plans;
 * {@code null} for none
 */
public record PermitRequest(String rule, Map<String, String> parts, long cost, @Nullable String plan) {

	/**
	 * Creates a request.
	 * @throws IllegalArgumentException if the cost is negative
	 */
	public PermitRequest {
		if (cost < 0) {
			throw new IllegalArgumentException("The cost must not be negative (was " + cost + ")");
		}
		parts = Collections.unmodifiableMap(new TreeMap<>(Map.copyOf(parts)));
	}

	/**
	 * Requests one permit.
	 * @param rule the rule's id
	 * @return a request without key parts and without a plan
	 */
	public static PermitRequest of(String rule) {
		return new PermitRequest(rule, Map.of(), 1, null);
	}

	/**
	 * Adds the user, for a rule with scope {@code user}.
	 * @param user the user's name
	 * @return a new request
	 * @throws IllegalArgumentException if the request already has a user
	 */
	public PermitRequest user(String user) {
		return part("user", user);
	}

	/**
	 * Adds the client address, for a rule with scope {@code ip}.
	 * @param ip the address, or the network that is treated as one client
	 * @return a new request
	 * @throws IllegalArgumentException if the request already has an address
	 */
	public PermitRequest ip(String ip) {
		return part("ip", ip);
	}

	/**
	 * Adds the endpoint, for a rule with scope {@code endpoint}.
	 * @param endpoint the HTTP method and the pattern of the path, such as {@code GET
	 * /orders/{id}}, or any name if the rule applies to code only
	 * @return a new request
	 * @throws IllegalArgumentException if the request already has an endpoint
	 */
	public PermitRequest endpoint(String endpoint) {
		return part("endpoint", endpoint);
	}

	/**
	 * Adds a part of the key by its name.
	 * @param name a name in the rule's scope, such as the name of a
	 * {@link io.tierlimit.spi.KeyResolver} bean, or {@code key} for the key expression of
	 * the rule
	 * @param value the value, as the resolver or the expression returns it
	 * @return a new request
	 * @throws IllegalArgumentException if the request already has this part. Whether the
	 * rule's key has such a part is checked when the request is used
	 */
	public PermitRequest part(String name, String value) {
		Map<String, String> all = new TreeMap<>(this.parts);
		if (all.putIfAbsent(name, Objects.requireNonNull(value, name)) != null) {
			throw new IllegalArgumentException(
					"The part '" + name + "' is given twice. The request for rule '" + this.rule + "' already has the "
							+ "parts " + this.parts.keySet() + ": give each part of the rule's key once");
		}
		return new PermitRequest(this.rule, all, this.cost, this.plan);
	}

	/**
	 * Returns the same request with another cost.
	 * @param cost permits, 0 or more
	 * @return a new request
	 * @throws IllegalArgumentException if the cost is negative
	 */
	public PermitRequest cost(long cost) {
		return new PermitRequest(this.rule, this.parts, cost, this.plan);
	}

	/**
	 * Returns the same request on another plan.
	 * @param plan the caller's plan, or {@code null} for none
	 * @return a new request
	 */
	public PermitRequest plan(@Nullable String plan) {
		return new PermitRequest(this.rule, this.parts, this.cost, plan);
	}

}
