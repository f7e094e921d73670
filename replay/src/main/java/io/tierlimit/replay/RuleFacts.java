package io.tierlimit.replay;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import io.tierlimit.AnonymousPolicy;
import io.tierlimit.AppliesTo;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.IntLiteral;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Finds the facts of a request that a rule reads and a log does not have. Such a rule is
 * not replayed: its result would be wrong, and as all rules decide together, so would be
 * those of others.
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
	 * Finds what is missing for a rule.
	 * @return a text for each reason why the rule cannot be replayed; empty if it can
	 */
	List<String> missing(Rule rule) {
		Set<String> reasons = new TreeSet<>();
		if (rule.selection().appliesTo() == AppliesTo.METHODS) {
			reasons.add("applies-to is methods, and a log has no calls of methods");
		}
		rule.scope().names().forEach((scope) -> addScope(scope, rule, reasons));
		if (!rule.limits().plans().isEmpty()) {
			require(LoggedRequest.PLAN, "its plans need the plan of the caller", reasons);
		}
		addExpression("condition", rule.selection().condition(), reasons);
		addExpression("key", rule.scope().key(), reasons);
		addExpression("cost", rule.cost(), reasons);
		ChargePolicy policy = rule.options().find(ChargePolicy.class);
		if (policy != null && policy.waitsForAuthentication()) {
			reasons.add("charge or reset-on needs the result of authentications");
		}
		else if (policy != null) {
			require(LogFields.STATUS, "charge or reset-on needs the status of the response", reasons);
		}
		return List.copyOf(reasons);
	}

	/**
	 * The fact that identifies the callers of an override, if the log does not have it.
	 * @return the name of the fact; {@code null} if the log has it. A rule whose key the
	 * log does not show is not replayed, and neither are overrides of such keys
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
				if (rule.scope().anonymous() == AnonymousPolicy.IP) {
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
			collect(property, new SpelExpressionParser().parseRaw(text).getAST(), reasons);
		}
	}

	private void collect(String property, SpelNode node, Set<String> reasons) {
		if (node instanceof PropertyOrFieldReference reference) {
			addFact(property + " reads " + reference.getName(), reference.getName(), reasons);
		}
		else if (node instanceof MethodReference method && method.getName().equals("header")) {
			if (method.getChildCount() == 1 && method.getChild(0) instanceof StringLiteral literal) {
				String name = String.valueOf(literal.getLiteralValue().getValue());
				require(LoggedRequest.HEADER + name.toLowerCase(Locale.ROOT),
						property + " reads header('" + name + "')", reasons);
			}
			else {
				reasons.add(property + " reads a header whose name depends on the request");
			}
		}
		else if (node instanceof MethodReference method && method.getName().equals("claim")) {
			reasons.add(property + " reads a claim of a token, which a log does not have");
		}
		else if (node instanceof Indexer && !(node.getChild(0) instanceof IntLiteral)) {
			reasons.add(property + " reads a fact whose name depends on the request");
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			collect(property, node.getChild(i), reasons);
		}
	}

	private void addFact(String use, String name, Set<String> reasons) {
		switch (name) {
			case "user" -> require(LogFields.USER, use, reasons);
			case "ip" -> require(LogFields.ADDRESS, use, reasons);
			case "plan" -> require(LoggedRequest.PLAN, use, reasons);
			case "pattern" -> requireEndpoints(use, reasons);
			case "authorities" -> reasons.add(use + ", which a log does not have");
			default -> {
				// The method, the path, or a member of another value.
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
