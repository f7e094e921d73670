package io.tierlimit.autoconfigure;

import io.tierlimit.rule.InvalidRulesException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Tells an operator what is wrong with the rules.
 */
final class InvalidRulesFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRulesException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidRulesException cause) {
		return new FailureAnalysis(
				"The rate limiting rules can't be enforced:\n\n    " + String.join("\n    ", cause.problems()),
				"Correct the properties named above. The rules are described in docs/rules.md.", cause);
	}

}
