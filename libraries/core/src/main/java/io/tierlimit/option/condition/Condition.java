package io.tierlimit.option.condition;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.key.ExpressionFact;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.spi.Caller;

/**
 * The condition of a rule. The rule does not apply if the condition is false. If the
 * evaluation fails or the value is neither true nor false, the rule applies.
 *
 * @param rule the id of the rule
 * @param expression the condition
 * @param warnings logs values that are not valid
 */
public record Condition(String rule, CallerExpression expression, OnceLogger warnings) implements RuleOption {

	/**
	 * Creates the conditions of rules.
	 * @return the factory
	 */
	public static RuleOptionFactory factory() {
		OnceLogger warnings = new OnceLogger(Condition.class);
		return RuleOptionFactory.of(ConditionText.class, (rule, key, condition) -> new Condition(rule.id(),
				CallerExpression.parse(condition.text(), ExpressionUse.CONDITION, Map.of()), warnings));
	}

	@Override
	public Set<Fact> reads() {
		Set<Fact> facts = EnumSet.noneOf(Fact.class);
		if (this.expression.reads(ExpressionFact.IDENTITY)) {
			facts.add(Fact.IDENTITY);
		}
		if (this.expression.reads(ExpressionFact.TARGET)) {
			facts.add(Fact.TARGET);
		}
		return facts;
	}

	@Override
	public boolean appliesTo(Caller caller) {
		try {
			if (this.expression.evaluate(caller) instanceof Boolean applies) {
				return applies;
			}
			warn("is neither true nor false");
		}
		catch (ExpressionException ex) {
			warn("failed: " + ex.getMessage());
		}
		return true;
	}

	@Override
	public void describe(Map<String, Object> description) {
		description.put("condition", this.expression.text());
	}

	private void warn(String reason) {
		this.warnings.warn("Rule '" + this.rule + "' applied to a request because its condition '"
				+ this.expression.text() + "' " + reason);
	}

}
