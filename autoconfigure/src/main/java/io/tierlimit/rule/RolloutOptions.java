package io.tierlimit.rule;

/**
 * How far a rule is rolled out.
 *
 * @param share the keys for which the rule rejects requests
 */
public record RolloutOptions(EnforcedShare share) {

	/** The default: the rule is enforced for all keys. */
	public static final RolloutOptions COMPLETE = new RolloutOptions(EnforcedShare.ALL);

}
