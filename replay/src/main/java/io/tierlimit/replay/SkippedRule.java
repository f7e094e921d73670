package io.tierlimit.replay;

import java.util.List;

/**
 * A rule that cannot be replayed.
 *
 * @param rule the id of the rule
 * @param reasons why it cannot be replayed, such as the facts that the log does not have;
 * at least one reason
 */
public record SkippedRule(String rule, List<String> reasons) {

	/**
	 * Creates a rule.
	 */
	public SkippedRule {
		reasons = List.copyOf(reasons);
	}

}
