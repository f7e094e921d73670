package io.tierlimit.option.override;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.key.RuleKey;
import io.tierlimit.option.ChargeFacts;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.NamedParts;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.store.BucketKey;
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
	 * @param rule the rule
	 * @param key the rule's key
	 * @param index the overrides of all rules
	 */
	RuleOverrides(Rule rule, RuleKey key, OverrideIndex index) {
		this.rule = rule.id();
		this.index = index;
		List<@Nullable String> plans = new ArrayList<>(rule.limits().plans().keySet());
		plans.add(null);
		for (CallerOverride override : index.ofKeys(this.rule)) {
			Map<String, String> parts = NamedParts.read(override.target().values(), key.names());
			if (parts == null) {
				// An annotation has replaced the key of the rule by a key with other
				// parts.
				continue;
			}
			for (String plan : plans) {
				String stored = key.of(parts, plan).key();
				this.ofKeys.computeIfAbsent(stored, (none) -> new ArrayList<>(1)).add(override);
			}
		}
	}

	/** Whether these overrides were found in an index. */
	boolean areOf(OverrideIndex other) {
		return this.index == other;
	}

	/**
	 * The override that applies to a caller; {@code null} for none.
	 * @throws InvalidRequestValueException if the user or the address cannot be read
	 */
	@Nullable CallerOverride of(ChargeFacts facts) {
		BucketKey bucket = this.ofKeys.isEmpty() ? null : facts.bucket();
		CallerOverride first = (bucket != null) ? ofKey(bucket.key()) : null;
		return (first != null) ? first : this.index.first(facts.caller().of(this.index, this.index::of), this.rule);
	}

	private @Nullable CallerOverride ofKey(String stored) {
		List<CallerOverride> overrides = this.ofKeys.get(stored);
		return (overrides != null) ? this.index.first(overrides, this.rule) : null;
	}

}
