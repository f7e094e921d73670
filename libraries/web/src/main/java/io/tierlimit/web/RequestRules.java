package io.tierlimit.web;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.rule.Rule;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rules of one rule set that apply to a request.
 */
public final class RequestRules {

	private final CompiledRules rules;

	private final Map<Stage, StageRules> stages = new EnumMap<>(Stage.class);

	RequestRules(CompiledRules rules, Options options) {
		this.rules = rules;
		for (Stage stage : Stage.values()) {
			this.stages.put(stage, new StageRules(rules.all().stream().filter(stage::decides).toList(), options));
		}
	}

	/**
	 * The rule set.
	 * @return all rules, including rules that apply to code
	 */
	public CompiledRules all() {
		return this.rules;
	}

	/**
	 * Matches a request with the rules of a stage.
	 * @param exchange looks up the handler, if a rule depends on it
	 * @return the rules that apply to the request, in the order of the rule set
	 */
	List<MatchedRule> match(Stage stage, HttpServletRequest request, RateLimitExchange exchange) {
		return of(stage).match(request, exchange);
	}

	/**
	 * Finds the rules for the requests of a mapping. A variable of the mapping matches
	 * variables and wildcards of rules, but no fixed segment.
	 * @param method the HTTP method
	 * @param pattern the pattern of the mapping, relative to the context path
	 * @return the rules that apply to all of these requests, apart from the conditions of
	 * the rules
	 */
	public List<Rule> ofMapping(String method, String pattern) {
		return of(Stage.ALL).ofMapping(method, pattern);
	}

	private StageRules of(Stage stage) {
		return Objects.requireNonNull(this.stages.get(stage));
	}

	/**
	 * Options that do not change with the rules.
	 *
	 * @param managementPath the path of the management endpoints, which are only limited
	 * by rules with this path; {@code null} if there are no endpoints
	 * @param limitsPath the path where callers read their own limits, which is only
	 * limited by rules with this path; {@code null} if there is no such path
	 * @param ignoresCase whether the application ignores case in paths; called at the
	 * first request
	 */
	public record Options(@Nullable String managementPath, @Nullable String limitsPath, BooleanSupplier ignoresCase) {

	}

}
