package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.Decision;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

/**
 * The overrides that concern one rule.
 */
final class RuleOverrides {

	private final String rule;

	private final OverrideIndex index;

	/** The overrides of keys, by the keys as the store has them. */
	private final Map<String, List<CallerOverride>> ofKeys = new HashMap<>();

	/**
	 * Finds the overrides of a rule.
	 * @param rule the rule's id
	 * @param key the rule's key
	 * @param plans the plans of the rule's buckets
	 * @param index the overrides of all rules
	 */
	RuleOverrides(String rule, RuleKey key, List<@Nullable String> plans, OverrideIndex index) {
		this.rule = rule;
		this.index = index;
		for (CallerOverride override : index.ofKeys(rule)) {
			List<String> parts = override.target().values();
			if (parts.size() != key.names().size()) {
				// An annotation has replaced the key of the rule by one with other parts.
				continue;
			}
			for (String plan : plans) {
				String stored = key.of(parts, plan).key();
				this.ofKeys.computeIfAbsent(stored, (none) -> new ArrayList<>(1)).add(override);
			}
		}
	}

	/** Whether an override depends on the key. */
	boolean dependOnKey() {
		return !this.ofKeys.isEmpty();
	}

	/**
	 * The override that applies to a caller; {@code null} for none.
	 * @param bucket the bucket of the caller; {@code null} if no key is needed, or if it
	 * cannot be resolved
	 * @throws InvalidFactException if the user or the address cannot be read
	 */
	@Nullable CallerOverride of(OverridesOfCaller caller, @Nullable BucketKey bucket) {
		CallerOverride first = (bucket != null) ? ofKey(bucket.key()) : null;
		return (first != null) ? first : caller.first(this.index, this.rule);
	}

	/** The override of a key as the store has it; {@code null} for none. */
	@Nullable CallerOverride ofKey(String stored) {
		List<CallerOverride> overrides = this.ofKeys.get(stored);
		return (overrides != null) ? this.index.first(overrides, this.rule) : null;
	}

	/** The decision on a request of a caller that is blocked; otherwise {@code null}. */
	@Nullable Decision block(@Nullable CallerOverride override) {
		return (override != null && override.effect() == Effect.BLOCKED) ? this.index.block(override) : null;
	}

}
