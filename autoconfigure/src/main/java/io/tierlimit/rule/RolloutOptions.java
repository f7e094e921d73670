package io.tierlimit.rule;

import org.jspecify.annotations.Nullable;

/**
 * How far a rule is rolled out.
 *
 * @param share the keys for which the rule rejects requests
 * @param active the times in which the rule applies; {@code null} for all times
 */
public record RolloutOptions(EnforcedShare share, @Nullable ActiveTimes active) {

	/** The default: the rule applies at all times, and is enforced for all keys. */
	public static final RolloutOptions COMPLETE = new RolloutOptions(EnforcedShare.ALL, null);

	/**
	 * Returns the same options for another share of the keys.
	 * @param share the keys for which the rule rejects requests
	 * @return the options
	 */
	public RolloutOptions share(EnforcedShare share) {
		return new RolloutOptions(share, this.active);
	}

	/**
	 * Returns the same options with other times.
	 * @param active the times in which the rule applies; {@code null} for all times
	 * @return the options
	 */
	public RolloutOptions active(@Nullable ActiveTimes active) {
		return new RolloutOptions(this.share, active);
	}

}
