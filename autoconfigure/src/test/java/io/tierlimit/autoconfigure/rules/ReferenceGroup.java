package io.tierlimit.autoconfigure.rules;

import java.util.Comparator;
import java.util.List;

/**
 * A group of properties with a heading in docs/reference.md. A heading is an anchor, to
 * which other pages link.
 *
 * @param title the heading
 * @param guide a sentence with a link to the page that explains the properties
 * @param properties the names of properties, or of their parents, in the order of the
 * page
 */
record ReferenceGroup(String title, String guide, List<String> properties) {

	/** The properties below an id of {@code tierlimit.rules}. */
	static final List<ReferenceGroup> RULE = List.of(
			new ReferenceGroup("Which requests", "[Rules](rules.md) explains these properties.",
					List.of("enabled", "applies-to", "paths", "exclude-paths", "methods", "condition")),
			new ReferenceGroup("Which bucket", "[Rules](rules.md) explains these properties.",
					List.of("scope", "key", "on-missing-key")),
			new ReferenceGroup("Limit", "[Algorithms](algorithms.md) explains these properties.",
					List.of("rate", "algorithm", "burst", "window", "limit", "max-duration", "retry-after-hint")),
			new ReferenceGroup("Limits of plans", "[Plans](plans.md) explains these properties.", List.of("plans")),
			new ReferenceGroup("Cost", "[Rules](rules.md) explains this property.", List.of("cost")),
			new ReferenceGroup("Actual cost",
					"[Costs that are known later](actual-costs.md) explains these properties.",
					List.of("actual-cost", "max-debt")),
			new ReferenceGroup("Charges for outcomes",
					"[Login protection](login-protection.md) explains these properties.",
					List.of("charge-on", "reset-on")),
			new ReferenceGroup("Bans", "[Single callers](single-callers.md) explains these properties.",
					List.of("ban")),
			new ReferenceGroup("Waiting and reservations",
					"[Calls to other services](outgoing-calls.md) explains these properties.",
					List.of("max-wait", "max-reserved")),
			new ReferenceGroup("Rollout", "[Rollout](rollout.md) explains these properties.",
					List.of("mode", "enforce-share", "candidate", "schedule")),
			new ReferenceGroup("Shards", "[Shards](shards.md) explains this property.", List.of("shards")),
			new ReferenceGroup("Adaptive rate", "[Adaptive rates](adaptive.md) explains these properties.",
					List.of("adaptive")),
			new ReferenceGroup("Headers of a rule", "[Headers](headers.md) explains this property.",
					List.of("headers")),
			new ReferenceGroup("Unavailable store", "[Redis](redis.md) explains this property.",
					List.of("on-store-failure")));

	/** The properties below an id of {@code tierlimit.overrides}. */
	static final List<ReferenceGroup> OVERRIDE = List.of(
			new ReferenceGroup("Caller and rules", "[Single callers](single-callers.md) explains these properties.",
					List.of("user", "address", "key", "rules")),
			new ReferenceGroup("Effect", "[Single callers](single-callers.md) explains these properties.",
					List.of("rate", "burst", "limit", "unlimited", "blocked", "until", "reason")));

	/** Settings that most applications look at. */
	static final List<ReferenceGroup> FREQUENT = List.of(
			new ReferenceGroup("On, off, and shadow mode", "[Rollout](rollout.md) explains these properties.",
					List.of("tierlimit.enabled", "tierlimit.mode")),
			new ReferenceGroup("Login protection", "[Login protection](login-protection.md) explains these properties.",
					List.of("tierlimit.login-protection")),
			new ReferenceGroup("Store of the buckets", "[Redis](redis.md) explains these properties.",
					List.of("tierlimit.store", "tierlimit.redis", "tierlimit.memory")),
			new ReferenceGroup("Client address", "[Client address](client-address.md) explains these properties.",
					List.of("tierlimit.client-ip")),
			new ReferenceGroup("Plan of a caller", "[Plans](plans.md) explains these properties.",
					List.of("tierlimit.plan")),
			new ReferenceGroup("Users and keys", "[Keys](keys.md) explains these properties.",
					List.of("tierlimit.user", "tierlimit.keys")),
			new ReferenceGroup("Headers", "[Headers](headers.md) explains these properties.",
					List.of("tierlimit.headers", "tierlimit.web.limits-path")));

	/** All other settings. */
	static final List<ReferenceGroup> OTHER = List.of(
			new ReferenceGroup("Tables of rules and overrides",
					"[Changing rules](changing-rules.md) explains these properties.", List.of("tierlimit.jdbc")),
			new ReferenceGroup("Reload", "[Changing rules](changing-rules.md) explains these properties.",
					List.of("tierlimit.reload")),
			new ReferenceGroup("Reports of rejections", "[Operations](operations.md) explains these properties.",
					List.of("tierlimit.rejections", "tierlimit.audit", "tierlimit.metrics")),
			new ReferenceGroup("Waiting requests",
					"[Calls to other services](outgoing-calls.md) explains this property.",
					List.of("tierlimit.web.max-waiting")),
			new ReferenceGroup("Filters", "[Concepts](concepts.md) explains these properties.",
					List.of("tierlimit.web.order", "tierlimit.web.authenticated-order")),
			new ReferenceGroup("Management endpoints", "[Actuator](actuator.md) explains these properties.",
					List.of("management")));

	/** Whether a property, or one of its parents, is in the group. */
	boolean includes(String name) {
		return index(name) >= 0;
	}

	/** Orders names as the group lists them, and further names alphabetically. */
	Comparator<String> order() {
		return Comparator.comparingInt(this::index).thenComparing(Comparator.naturalOrder());
	}

	private int index(String name) {
		for (int i = 0; i < this.properties.size(); i++) {
			String property = this.properties.get(i);
			if (name.equals(property) || name.startsWith(property + ".")) {
				return i;
			}
		}
		return -1;
	}

}
