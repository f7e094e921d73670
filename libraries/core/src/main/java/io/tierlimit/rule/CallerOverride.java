package io.tierlimit.rule;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * An override of the limits of rules for one caller.
 *
 * @param id the name that operators use
 * @param target the caller
 * @param rules the ids of the rules; empty for all rules
 * @param effect what applies instead of the limits
 * @param limits the caller's limits by the ids of rules; empty for other effects
 * @param from the beginning: until then, another override with the same id replaces this
 * one; {@code null} for none
 * @param until the end; {@code null} for none
 * @param reason the reason that operators see; {@code null} for none
 */
public record CallerOverride(String id, Target target, Set<String> rules, Effect effect, Map<String, Limit> limits,
		@Nullable Instant from, @Nullable Instant until, @Nullable String reason) {

	/**
	 * Creates an override.
	 */
	public CallerOverride {
		rules = Set.copyOf(rules);
		limits = Map.copyOf(limits);
	}

	/**
	 * Creates an override without a beginning.
	 * @param id the name that operators use
	 * @param target the caller
	 * @param rules the ids of the rules; empty for all rules
	 * @param effect what applies instead of the limits
	 * @param limits the caller's limits by the ids of rules; empty for other effects
	 * @param until the end; {@code null} for none
	 * @param reason the reason that operators see; {@code null} for none
	 */
	public CallerOverride(String id, Target target, Set<String> rules, Effect effect, Map<String, Limit> limits,
			@Nullable Instant until, @Nullable String reason) {
		this(id, target, rules, effect, limits, null, until, reason);
	}

	/**
	 * Returns this override with a beginning.
	 * @param beginning the end of the override that replaces this one until then
	 * @return the override
	 */
	public CallerOverride from(Instant beginning) {
		return new CallerOverride(this.id, this.target, this.rules, this.effect, this.limits, beginning, this.until,
				this.reason);
	}

	/**
	 * Whether the override concerns a rule.
	 * @param rule the id of the rule
	 * @return whether it has a limit for that rule; for other effects, whether the rule
	 * is one of {@link #rules()}, or that set is empty
	 */
	public boolean concerns(String rule) {
		return (this.effect == Effect.LIMIT) ? this.limits.containsKey(rule)
				: this.rules.isEmpty() || this.rules.contains(rule);
	}

	/**
	 * Whether the override is active.
	 * @param now the current time
	 * @return whether it has begun, and has not ended
	 */
	public boolean isActive(Instant now) {
		return (this.from == null || !now.isBefore(this.from)) && !hasEnded(now);
	}

	/**
	 * Whether the override has ended.
	 * @param now the current time
	 * @return whether it has an end that is not after this time
	 */
	public boolean hasEnded(Instant now) {
		return this.until != null && !now.isBefore(this.until);
	}

	/**
	 * Whether the override is active at all times.
	 * @return whether it has neither a beginning nor an end
	 */
	public boolean isAlwaysActive() {
		return this.from == null && this.until == null;
	}

	/**
	 * The effect of an override instead of the limit of a rule.
	 */
	public enum Effect {

		/** Another limit. */
		LIMIT,

		/** No limit: nothing is charged. */
		UNLIMITED,

		/** Every request is rejected. */
		BLOCKED

	}

	/**
	 * The caller that an override is for.
	 *
	 * @param kind the fact that identifies the caller
	 * @param values the name of the user, the network in its canonical form, or the
	 * {@linkplain NamedParts named parts} of a key in alphabetical order
	 */
	public record Target(Kind kind, List<String> values) {

		/**
		 * Creates a target.
		 */
		public Target {
			values = (kind == Kind.KEY) ? values.stream().sorted().toList() : List.copyOf(values);
		}

		/** The value of a target that has only one. */
		public String value() {
			return this.values.get(0);
		}

	}

	/**
	 * A fact that identifies a caller, in descending precedence.
	 */
	public enum Kind {

		/** The key of a bucket. */
		KEY,

		/** The authenticated user. */
		USER,

		/** An address, or a network. */
		ADDRESS

	}

}
