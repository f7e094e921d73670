package io.tierlimit.autoconfigure.rules;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionFact;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.rule.Rule;

/**
 * The key, the cost and the expressions of the options of a rule.
 */
final class RuleExpressions {

	private RuleExpressions() {
	}

	/** Whether an expression of a rule reads one of some facts. */
	static boolean read(Rule rule, Set<ExpressionFact> facts) {
		return Stream.concat(rule.options().expressions().stream(), Stream.of(rule.scope().key(), rule.cost()))
			.filter(Objects::nonNull)
			.filter((text) -> !Rule.isNumber(text))
			.anyMatch((text) -> CallerExpression.parse(text, ExpressionUse.KEY, Map.of()).reads(facts));
	}

}
