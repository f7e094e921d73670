package io.tierlimit.replay;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.tierlimit.AppliesTo;
import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionFact;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.settlement.ActualCost;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Finds the facts of a request that a rule reads and a log does not have. Such a rule is
 * not replayed, because its result would be wrong. Since all rules decide together, the
 * results of other rules would also be wrong.
 */
final class RuleFacts {

	private final Set<String> logged;

	private final boolean endpoints;

	/**
	 * Creates a search.
	 * @param logged the facts that the log has
	 * @param endpoints whether the mappings of the application are known
	 */
	RuleFacts(Set<String> logged, boolean endpoints) {
		this.logged = logged;
		this.endpoints = endpoints;
	}

	/**
	 * Finds the reasons why a rule cannot be replayed.
	 * @return one phrase for each reason; empty if the rule can be replayed
	 */
	List<String> missing(Rule rule) {
		Set<String> reasons = new TreeSet<>();
		if (rule.selection().appliesTo() == AppliesTo.CODE) {
			reasons.add("applies-to is code, and a log has no calls of code");
		}
		if (limitsRequestsInFlight(rule) || rule.derived().stream().anyMatch(RuleFacts::limitsRequestsInFlight)) {
			reasons.add("algorithm concurrency needs the durations of requests");
		}
		if (rule.options().find(ActualCost.class) != null) {
			reasons.add("actual-cost needs facts of finished requests");
		}
		rule.scope().names().forEach((scope) -> addScope(scope, rule, reasons));
		if (!rule.limits().plans().isEmpty()) {
			require(LoggedRequest.PLAN, "its plans need the plan of the caller", reasons);
		}
		rule.options().expressions().forEach((condition) -> addExpression("condition", condition, reasons));
		addExpression("key", rule.scope().key(), reasons);
		addExpression("cost", rule.cost(), reasons);
		ChargePolicy policy = rule.options().find(ChargePolicy.class);
		if (policy != null && policy.waitsForAuthentication()) {
			reasons.add("charge-on or reset-on needs the result of authentications");
		}
		else if (policy != null) {
			require(LogFields.STATUS, "charge-on or reset-on needs the status of the response", reasons);
		}
		return List.copyOf(reasons);
	}

	private static boolean limitsRequestsInFlight(Rule rule) {
		return rule.limits().holdPermits();
	}

	/**
	 * The fact that identifies the callers of an override, if the log does not have it.
	 * @return the name of the fact; {@code null} if the log has the fact. Rules whose key
	 * the log does not show are not replayed, and the same applies to overrides of such
	 * keys
	 */
	@Nullable String missing(CallerOverride.Kind kind) {
		String fact = switch (kind) {
			case USER -> LogFields.USER;
			case ADDRESS -> LogFields.ADDRESS;
			case KEY -> null;
		};
		return (fact == null || this.logged.contains(fact)) ? null : fact;
	}

	private void addScope(String scope, Rule rule, Set<String> reasons) {
		switch (scope) {
			case Scope.USER -> {
				require(LogFields.USER, "scope user", reasons);
				if (rule.scope().onMissingKey() == MissingKeyPolicy.IP) {
					require(LogFields.ADDRESS, "scope user, with the address of callers without one", reasons);
				}
			}
			case Scope.IP -> require(LogFields.ADDRESS, "scope ip", reasons);
			case Scope.PLAN -> require(LoggedRequest.PLAN, "scope plan", reasons);
			case Scope.ENDPOINT -> requireEndpoints("scope endpoint", reasons);
			default -> require(scope, "scope " + scope + ", a bean of the application", reasons);
		}
	}

	private void addExpression(String property, @Nullable String text, Set<String> reasons) {
		if (text != null && !text.chars().allMatch(Character::isDigit)) {
			CallerExpression.parse(text, ExpressionUse.KEY, Map.of())
				.facts()
				.forEach((read) -> addFact(property + " reads ", read.fact(), read.name(), reasons));
		}
	}

	private void addFact(String use, ExpressionFact fact, String name, Set<String> reasons) {
		switch (fact) {
			case USER -> require(LogFields.USER, use + fact, reasons);
			case IP -> require(LogFields.ADDRESS, use + fact, reasons);
			case PLAN -> require(LoggedRequest.PLAN, use + fact, reasons);
			case PATTERN -> requireEndpoints(use + fact, reasons);
			case HEADER ->
				require(LoggedRequest.HEADER + name.toLowerCase(Locale.ROOT), use + "header('" + name + "')", reasons);
			case AUTHORITIES -> reasons.add(use + fact + ", which a log does not have");
			case CLAIM -> reasons.add(use + "a claim of a token, which a log does not have");
			case REQUEST_ATTRIBUTE -> reasons.add(use + "an attribute of the request, which a log does not have");
			case SESSION_ATTRIBUTE -> reasons.add(use + "an attribute of the session, which a log does not have");
			case METHOD, PATH, PARAM, ARGUMENT -> {
				// A log has the method, and the path with its query.
			}
			case STATUS, RESPONSE_HEADER, DURATION, REQUEST_BYTES, RESPONSE_BYTES, METERED -> {
				// Only an actual cost reads them.
			}
		}
	}

	private void requireEndpoints(String use, Set<String> reasons) {
		if (!this.endpoints) {
			reasons.add(use + " needs the mappings of the application");
		}
	}

	private void require(String fact, String use, Set<String> reasons) {
		if (!this.logged.contains(fact)) {
			reasons.add(use + ": the log has no " + fact);
		}
	}

}
