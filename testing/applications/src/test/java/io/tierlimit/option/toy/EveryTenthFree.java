package io.tierlimit.option.toy;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.option.ChargeFacts;
import io.tierlimit.option.RuleOption;
import io.tierlimit.option.RuleOptionFactory;
import io.tierlimit.option.Terms;
import io.tierlimit.rule.OptionValue;

/**
 * An option that charges nothing for every tenth request.
 */
final class EveryTenthFree implements RuleOption {

	private final AtomicLong requests = new AtomicLong();

	private EveryTenthFree() {
	}

	static RuleOptionFactory factory() {
		return (rules) -> (rule, key) -> (rule.options().find(Value.class) != null) ? new EveryTenthFree() : null;
	}

	@Override
	public Terms terms(Terms terms, ChargeFacts facts) {
		return (this.requests.incrementAndGet() % 10 == 0) ? terms.unlimited() : terms;
	}

	@Override
	public void describe(Map<String, Object> description) {
		description.put("everyTenthFree", true);
	}

	/**
	 * The value for a rule that has the option.
	 */
	record Value() implements OptionValue {

	}

}
