package io.tierlimit.web;

import java.util.function.Function;

import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.ActiveRules;

/**
 * Finds the current rules for requests. The path patterns of rules are parsed once for
 * each rule set.
 */
public final class RequestRulesLookup {

	private final ActiveRules rules;

	private final Function<CompiledRules, RequestRules> view;

	/**
	 * Creates a look-up.
	 * @param rules supplies the current rules
	 * @param options options that do not change with the rules
	 */
	public RequestRulesLookup(ActiveRules rules, RequestRules.Options options) {
		this.rules = rules;
		this.view = (set) -> new RequestRules(set, options);
	}

	/**
	 * The current rules.
	 * @return the rules, which a request keeps until its end
	 */
	public RequestRules current() {
		return this.rules.current().view(this.view);
	}

}
