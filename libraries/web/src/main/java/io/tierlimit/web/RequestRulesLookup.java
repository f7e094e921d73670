package io.tierlimit.web;

import java.util.function.Function;

import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.RulesInForce;

/**
 * Finds the rules in force for requests. Their patterns are parsed once for each rule
 * set.
 */
public final class RequestRulesLookup {

	private final RulesInForce rules;

	private final Function<CompiledRules, RequestRules> view;

	/**
	 * Creates a look-up.
	 * @param rules the rules in force
	 * @param options options that do not change with the rules
	 */
	public RequestRulesLookup(RulesInForce rules, RequestRules.Options options) {
		this.rules = rules;
		this.view = (set) -> new RequestRules(set, options);
	}

	/**
	 * The rules in force.
	 * @return the rules, which a request keeps until its end
	 */
	public RequestRules current() {
		return this.rules.current().view(this.view);
	}

}
