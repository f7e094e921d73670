package io.tierlimit.option.outcome;

import java.util.Map;
import java.util.Set;

import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.option.SettledCharge;
import io.tierlimit.option.Settlement;
import io.tierlimit.rule.RequestOutcome;

/**
 * A charge that is refunded unless the outcome of the request is one of those that are
 * charged.
 *
 * @param policy the outcomes that are charged
 */
public record ConditionalCharge(ChargePolicy policy) implements RuleOption {

	/**
	 * Creates the conditional charges of rules.
	 * @return the factory
	 */
	public static RuleOptionFactory factory() {
		return (rules) -> (rule, key) -> {
			ChargePolicy policy = rule.options().find(ChargePolicy.class);
			return (policy == null || policy.charge().isEmpty()) ? null : new ConditionalCharge(policy);
		};
	}

	@Override
	public Set<Fact> reads() {
		return Set.of(Fact.OUTCOME);
	}

	@Override
	public Settlement settle(RequestOutcome outcome, SettledCharge charge) {
		return this.policy.charges(outcome) ? Settlement.KEEP : Settlement.REFUND;
	}

	@Override
	public void describe(Map<String, Object> description) {
		description.put("charge", this.policy.charge().stream().map(Object::toString).toList());
	}

}
