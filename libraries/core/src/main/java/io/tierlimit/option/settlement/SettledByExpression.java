package io.tierlimit.option.settlement;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionException;
import io.tierlimit.key.ExpressionFact;
import io.tierlimit.key.FinishedRequest;
import io.tierlimit.limit.Limit;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.option.CostSettlement;
import io.tierlimit.option.OptionMeter;
import io.tierlimit.option.RuleOption;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the estimated cost of requests by the value of an expression over the finished
 * request. If the expression reads a request header or a parameter, the cost is at least
 * 1.
 *
 * @param rule the id of the rule
 * @param cost the actual cost
 * @param expression its expression
 * @param counts what happened when costs were settled, which a reload of the rules may
 * replace
 * @param warnings logs each warning once
 */
record SettledByExpression(String rule, ActualCost cost, CallerExpression expression, Supplier<SettlementCounts> counts,
		OnceLogger warnings) implements RuleOption, CostSettlement {

	@Override
	public CostSettlement settlement() {
		return this;
	}

	@Override
	public boolean reads(ExpressionFact fact) {
		return this.expression.reads(Set.of(fact));
	}

	@Override
	public @Nullable Long actualCost(FinishedRequest request) {
		try {
			long actual = Math.min(this.expression.evaluateCost(request), MAX_COST);
			return this.expression.reads(ExpressionFact.MINIMUM_COST) ? Math.max(1, actual) : actual;
		}
		catch (ExpressionException | InvalidRequestValueException ex) {
			this.warnings
				.warn("Rule '" + this.rule + "' kept the estimated cost of a request, because its actual cost '"
						+ this.cost.expression() + "' is not a whole number of 0 or more: " + ex.getMessage());
			return null;
		}
	}

	@Override
	public long maxDebt(Limit limit) {
		return this.cost.maxDebt(limit);
	}

	@Override
	public void dropped(long permits) {
		this.counts.get().dropped().add(permits);
	}

	@Override
	public void settled(long estimate, long actual) {
		if (estimate > 0) {
			this.counts.get().ratios().record((double) actual / estimate);
		}
	}

	@Override
	public void unknown() {
		this.counts.get().unknown().increment();
	}

	@Override
	public List<OptionMeter> meters() {
		return List.of(
				OptionMeter.summary("tierlimit.settled", "Actual costs divided by their estimates",
						() -> this.counts.get().ratios()),
				OptionMeter.counter("tierlimit.settled.dropped", "Permits of actual costs that exceeded max-debt", null,
						() -> this.counts.get().dropped().sum()),
				OptionMeter.counter("tierlimit.settled.unknown", "Requests whose actual cost was unknown", null,
						() -> this.counts.get().unknown().sum()));
	}

	@Override
	public void describe(Map<String, Object> description) {
		description.put("actualCost", this.cost.expression());
		RuleOption.put(description, "maxDebt", this.cost.maxDebt());
	}

}
