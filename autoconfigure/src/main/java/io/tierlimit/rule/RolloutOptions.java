package io.tierlimit.rule;

import org.jspecify.annotations.Nullable;

/**
 * How far a rule is rolled out.
 *
 * @param share the keys for which the rule rejects requests
 * @param active the times in which the rule applies; {@code null} for all times
 * @param candidate the limits that may replace those of the rule; {@code null} for none
 * @param candidateOf the id of the rule that this rule is the candidate of; {@code null}
 * if it is none
 */
public record RolloutOptions(EnforcedShare share, @Nullable ActiveTimes active, @Nullable RuleLimits candidate,
		@Nullable String candidateOf) {

	/**
	 * The default: the rule applies at all times, is enforced for all keys, and has no
	 * candidate.
	 */
	public static final RolloutOptions COMPLETE = new RolloutOptions(EnforcedShare.ALL, null, null, null);

	/**
	 * Returns the same options for another share of the keys.
	 * @param share the keys for which the rule rejects requests
	 * @return the options
	 */
	public RolloutOptions share(EnforcedShare share) {
		return new RolloutOptions(share, this.active, this.candidate, this.candidateOf);
	}

	/**
	 * Returns the same options with other times.
	 * @param active the times in which the rule applies; {@code null} for all times
	 * @return the options
	 */
	public RolloutOptions active(@Nullable ActiveTimes active) {
		return new RolloutOptions(this.share, active, this.candidate, this.candidateOf);
	}

	/**
	 * Returns the same options with another candidate.
	 * @param candidate the limits that may replace those of the rule; {@code null} for
	 * none
	 * @return the options
	 */
	public RolloutOptions candidate(@Nullable RuleLimits candidate) {
		return new RolloutOptions(this.share, this.active, candidate, this.candidateOf);
	}

	/** The options of the candidate of a rule. */
	static RolloutOptions ofCandidate(String rule) {
		return new RolloutOptions(EnforcedShare.ALL, null, null, rule);
	}

}
