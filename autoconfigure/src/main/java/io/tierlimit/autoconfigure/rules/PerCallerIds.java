package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.tierlimit.AppliesTo;
import io.tierlimit.rule.reader.PropertyReader;
import org.jspecify.annotations.Nullable;

/**
 * Finds rules whose id suggests a bucket for each caller, but whose callers share one.
 */
final class PerCallerIds {

	/**
	 * The words for callers in ids, and their scopes; empty if no built-in scope fits.
	 */
	private static final Map<String, String> OWNERS = Map.ofEntries(Map.entry("ip", "ip"), Map.entry("address", "ip"),
			Map.entry("addr", "ip"), Map.entry("client", "ip"), Map.entry("user", "user"), Map.entry("account", "user"),
			Map.entry("customer", "user"), Map.entry("member", "user"), Map.entry("principal", "user"),
			Map.entry("caller", "user"), Map.entry("plan", "plan"), Map.entry("endpoint", "endpoint"),
			Map.entry("tenant", ""), Map.entry("apikey", ""), Map.entry("token", ""), Map.entry("session", ""));

	private static final List<String> EACH = List.of("per", "by", "each", "every");

	private PerCallerIds() {
	}

	/** Warns of a rule with one bucket whose id suggests one for each caller. */
	static void check(String id, AppliesTo appliesTo, PropertyReader properties) {
		boolean hasKey = properties.hasValue("scope") || properties.hasValue("key");
		// An annotation that names a rule for methods may set the key.
		boolean forMethods = appliesTo == AppliesTo.METHODS;
		String owner = (hasKey || forMethods) ? null : owner(id, properties.list("paths"));
		if (owner == null) {
			return;
		}
		String scope = OWNERS.getOrDefault(owner, "");
		properties.problems()
			.warn("all callers share one bucket, although the id suggests one per " + owner
					+ ": the rule has neither scope nor key",
					(scope.isEmpty() ? "Set key, or set scope to the name of a KeyResolver bean"
							: "Set scope to " + scope) + ", or to global if one bucket is intended, in",
					"");
	}

	private static @Nullable String owner(String id, List<String> paths) {
		List<String> words = List
			.of(id.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT).split("[-_.]+", -1));
		for (int i = 0; i < words.size(); i++) {
			String next = (i + 1 < words.size()) ? words.get(i + 1) : "";
			for (String each : EACH) {
				String word = words.get(i);
				String owner = word.equals(each) ? next : word.startsWith(each) ? word.substring(each.length()) : "";
				if (OWNERS.containsKey(owner) && !isInPath(each + owner, paths)) {
					return owner;
				}
			}
		}
		return null;
	}

	/** Whether a path has such words, such as /orders/by-user. */
	private static boolean isInPath(String words, List<String> paths) {
		return paths.stream()
			.anyMatch((path) -> path.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9/]", "").contains(words));
	}

}
