package io.tierlimit.option.condition;

import java.util.List;
import java.util.Map;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the condition of a rule.
 */
public final class ConditionReader implements OptionReader {

	private static final String CONDITION = "condition";

	@Override
	public List<String> properties() {
		return List.of(CONDITION);
	}

	@Override
	public @Nullable ConditionText read(PropertyReader properties, RuleContext rule) {
		String text = properties.text(CONDITION);
		if (text == null) {
			return null;
		}
		RuleProblems problems = properties.problems();
		CallerExpression condition = problems.attempt(CONDITION,
				() -> CallerExpression.parse(text, ExpressionUse.CONDITION, Map.of()));
		if (condition != null && condition.facts().isEmpty()) {
			checkConstant(condition, text, problems);
		}
		return new ConditionText(text);
	}

	private static void checkConstant(CallerExpression condition, String text, RuleProblems problems) {
		try {
			if (!(condition.evaluate(Caller.UNKNOWN) instanceof Boolean applies)) {
				problems.add("condition '" + text + "' must be true or false", "Correct", CONDITION);
			}
			else if (!applies) {
				problems.warn("it never applies, because its condition is false", "Correct or remove", CONDITION);
			}
		}
		catch (ExpressionException | InvalidRequestValueException ex) {
			problems.add("condition '" + text + "' always fails: " + ex.getMessage(), "Correct", CONDITION);
		}
	}

}
