package io.tierlimit.option.settlement;

import java.util.List;
import java.util.Map;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads the actual cost of a rule.
 */
public final class ActualCostReader implements OptionReader {

	private static final String ACTUAL_COST = "actual-cost";

	private static final String MAX_DEBT = "max-debt";

	@Override
	public List<String> properties() {
		return List.of(ACTUAL_COST, MAX_DEBT);
	}

	@Override
	public @Nullable ActualCost read(PropertyReader properties, RuleContext rule) {
		RuleProblems problems = properties.problems();
		String text = properties.text(ACTUAL_COST);
		Long maxDebt = properties.value(MAX_DEBT, Long.class);
		if (text == null) {
			if (maxDebt != null) {
				problems.add("max-debt requires actual-cost", "Set actual-cost, or remove", MAX_DEBT);
			}
			return null;
		}
		CallerExpression expression = problems.attempt(ACTUAL_COST,
				() -> CallerExpression.parse(text, ExpressionUse.ACTUAL_COST, Map.of()));
		if (expression != null && expression.facts().isEmpty()) {
			problems.add("actual-cost '" + text + "' is a constant", "Set it as cost, and remove", ACTUAL_COST);
		}
		ActualCost cost = problems.attempt(MAX_DEBT, () -> new ActualCost(text, maxDebt));
		return problems.has(ACTUAL_COST) ? null : cost;
	}

}
