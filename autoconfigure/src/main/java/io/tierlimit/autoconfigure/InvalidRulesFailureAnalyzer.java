package io.tierlimit.autoconfigure;

import io.tierlimit.rule.InvalidRulesException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Describes an invalid configuration in the startup failure report.
 */
final class InvalidRulesFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRulesException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidRulesException cause) {
		return new FailureAnalysis(
				"The configuration of Tierlimit is not valid:\n\n    " + String.join("\n    ", cause.problems()),
				"Correct the properties that are named above. See docs/rules.md and docs/troubleshooting.md of Tierlimit.",
				cause);
	}

}
