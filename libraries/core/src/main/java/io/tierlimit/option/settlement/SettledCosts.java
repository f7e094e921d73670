package io.tierlimit.option.settlement;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.key.RuleKey;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.option.RuleSetOption;
import io.tierlimit.rule.Rule;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a rule set whose costs are settled.
 */
public final class SettledCosts implements RuleSetOption {

	private final Map<String, SettlementCounts> counts = new ConcurrentHashMap<>();

	private final OnceLogger warnings;

	/**
	 * Creates the option of a rule set.
	 * @param warnings logs each warning once
	 */
	public SettledCosts(OnceLogger warnings) {
		this.warnings = warnings;
	}

	@Override
	public @Nullable SettledByExpression of(Rule rule, RuleKey key) {
		ActualCost cost = rule.options().find(ActualCost.class);
		if (cost == null) {
			return null;
		}
		this.counts.computeIfAbsent(rule.id(), (id) -> new SettlementCounts());
		return new SettledByExpression(rule.id(), cost,
				CallerExpression.parse(cost.expression(), ExpressionUse.ACTUAL_COST, Map.of()),
				() -> Objects.requireNonNull(this.counts.get(rule.id())), this.warnings);
	}

	/** Takes over the numbers, which must not fall. */
	@Override
	public void continueFrom(RuleSetOption earlier) {
		((SettledCosts) earlier).counts.forEach((rule, numbers) -> this.counts.replace(rule, numbers));
	}

}
