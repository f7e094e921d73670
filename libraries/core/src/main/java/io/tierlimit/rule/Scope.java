package io.tierlimit.rule;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

import io.tierlimit.MissingKeyPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Selects the bucket from which a request consumes permits.
 *
 * @param names the parts of the bucket's key: {@link #USER}, {@link #IP},
 * {@link #ENDPOINT}, {@link #PLAN} or the names of key resolvers, always in alphabetical
 * order; empty for a global rule, which has one bucket
 * @param key an expression over the caller that is another part of the key, or
 * {@code null}
 * @param onMissingKey the policy for a caller without a value for a part
 */
public record Scope(List<String> names, @Nullable String key, MissingKeyPolicy onMissingKey) {

	/** One bucket for all callers. */
	public static final String GLOBAL = "global";

	/** A bucket for every authenticated user. */
	public static final String USER = "user";

	/** A bucket for every client address. */
	public static final String IP = "ip";

	/** A bucket for every mapped endpoint. */
	public static final String ENDPOINT = "endpoint";

	/** A bucket for every plan. */
	public static final String PLAN = "plan";

	/** The name of the key expression among the parts of a key. */
	public static final String KEY = "key";

	/** The names that need no key resolver. */
	public static final List<String> BUILT_IN = List.of(USER, IP, ENDPOINT, PLAN, GLOBAL);

	/**
	 * Creates a scope.
	 * @throws IllegalArgumentException if a name occurs twice or is {@code key}, or
	 * {@code global} is combined with others
	 */
	public Scope {
		if (new HashSet<>(names).size() < names.size()) {
			throw new IllegalArgumentException("scope must not name a part twice (was " + names + ")");
		}
		if (names.contains(KEY)) {
			throw new IllegalArgumentException(
					"scope must not name 'key', which is the name of the key expression (was " + names + ")");
		}
		if (names.contains(GLOBAL) && names.size() > 1) {
			throw new IllegalArgumentException(
					"scope 'global' cannot be combined with other scopes (was " + names + ")");
		}
		names = names.stream().filter((name) -> !name.equals(GLOBAL)).sorted().toList();
	}

	/**
	 * Whether each caller has its own buckets.
	 * @return whether there is a key, or a part other than the endpoint and the plan
	 */
	public boolean isPerCaller() {
		return this.key != null || !List.of(ENDPOINT, PLAN).containsAll(this.names);
	}

	/**
	 * Creates a scope without a key expression. The client address replaces a missing
	 * part.
	 * @param names the parts of the bucket's key
	 * @return the scope
	 */
	public static Scope of(String... names) {
		return new Scope(List.of(names), null, MissingKeyPolicy.IP);
	}

	/**
	 * The parts that code must provide for a key, in the order of stored keys.
	 * @return the names in alphabetical order except {@code plan}, then {@code key} if
	 * there is a key expression
	 */
	public List<String> keyParts() {
		List<String> parts = new ArrayList<>(this.names);
		parts.remove(PLAN);
		if (this.key != null) {
			parts.add(KEY);
		}
		return parts;
	}

	/**
	 * The parts of the key, in their order.
	 * @return the names, and {@code key} if there is a key expression, joined by
	 * {@code +}
	 */
	@Override
	public String toString() {
		String parts = String.join("+", this.names);
		if (this.key == null) {
			return parts.isEmpty() ? GLOBAL : parts;
		}
		return parts.isEmpty() ? KEY : parts + "+" + KEY;
	}

}
