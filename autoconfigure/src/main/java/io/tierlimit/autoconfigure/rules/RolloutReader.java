package io.tierlimit.autoconfigure.rules;

import java.util.Objects;

import io.tierlimit.AppliesTo;
import io.tierlimit.RuleDefinition;
import io.tierlimit.rule.EnforcedShare;
import io.tierlimit.rule.RolloutOptions;

/**
 * Reads how far a rule is rolled out, and collects the problems.
 */
final class RolloutReader {

	private static final String PERCENT = "enforce-percent";

	private final RuleDefinition rule;

	private final RuleProblems problems;

	RolloutReader(RuleDefinition rule, RuleProblems problems) {
		this.rule = rule;
		this.problems = problems;
	}

	/**
	 * Reads the options.
	 * @param hasKey whether an expression may differ by caller
	 * @return the options; those of the default for values that are not valid
	 */
	RolloutOptions read(boolean hasKey) {
		EnforcedShare share = this.problems.attempt(PERCENT, () -> new EnforcedShare(this.rule.enforcePercent()));
		if (share != null && share.isPartial()) {
			checkKey(hasKey);
		}
		return RolloutOptions.COMPLETE.share(Objects.requireNonNullElse(share, EnforcedShare.ALL))
			.active(new ActiveReader(this.problems).read(this.rule.active()));
	}

	private void checkKey(boolean hasKey) {
		if (!BanReader.isShared(this.rule, hasKey)) {
			return;
		}
		String problem = "callers share a bucket, so the rule cannot be enforced for a share of them";
		if (this.rule.appliesTo() == AppliesTo.METHODS) {
			this.problems.warn(problem + ", unless each annotation that names the rule sets a key of the caller",
					"Set scope to user or ip, or remove", PERCENT);
		}
		else {
			this.problems.add(problem, "Set scope to user or ip, or set {} to 0 or 100", PERCENT);
		}
	}

}
