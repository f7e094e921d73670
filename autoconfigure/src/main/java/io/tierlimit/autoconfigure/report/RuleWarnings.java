package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.schedule.AppliesOnSchedule;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;

/**
 * Finds valid rules that never match, and rules whose charge-on or reset-on is unsafe.
 *
 * @param isUsed whether requests, annotated methods or code may be checked against a rule
 * @param authenticates whether Spring Security may authenticate users of requests
 * @param publishes whether results of authentications are published
 * @param names returns the name of a rule in messages
 */
record RuleWarnings(Predicate<Rule> isUsed, boolean authenticates, boolean publishes, Function<Rule, String> names) {

	/**
	 * Finds such rules.
	 * @param rules the current rules and their variants
	 * @return full sentences for each problem
	 */
	List<String> find(Collection<CompiledRule> rules) {
		return rules.stream().flatMap((rule) -> {
			List<String> problems = new ArrayList<>();
			addUnreachable(rule, problems);
			ChargePolicy chargePolicy = rule.rule().options().find(ChargePolicy.class);
			if (chargePolicy != null) {
				addUnsafe(rule, chargePolicy, problems);
			}
			return problems.stream().map((problem) -> this.names.apply(rule.rule()) + problem);
		}).distinct().toList();
	}

	private void addUnreachable(CompiledRule compiled, List<String> problems) {
		Rule rule = compiled.rule();
		Selection selection = rule.selection();
		List<String> excluded = selection.excludePaths();
		AppliesOnSchedule schedule = compiled.options().find(AppliesOnSchedule.class);
		if (!this.isUsed.test(rule)) {
			problems
				.add(" is not used: it applies to code, but no annotation names it, and no bean uses a RateLimiter. "
						+ "Name it in @RateLimited, or remove it.");
		}
		if ((!selection.paths().isEmpty() && excluded.containsAll(selection.paths())) || excluded.contains("/**")) {
			problems.add(" never matches: its exclude-paths contain all of its paths. Correct exclude-paths.");
		}
		if (schedule != null && schedule.isOver()) {
			problems.add(" never applies again: its schedule has ended. Correct schedule.ranges, or remove the rule.");
		}
		if (!this.authenticates && rule.appliesToRequests() && rule.scope().onMissingKey() == MissingKeyPolicy.SKIP
				&& rule.scope().names().contains(Scope.USER)) {
			problems
				.add(" never applies to a request without a user: its scope contains the user, on-missing-key is skip, and "
						+ "there is no Spring Security. Unless a filter or the server authenticates users, add Spring "
						+ "Security, or set on-missing-key to ip.");
		}
	}

	private void addUnsafe(CompiledRule compiled, ChargePolicy chargePolicy, List<String> problems) {
		Rule rule = compiled.rule();
		if (chargePolicy.waitsForAuthentication() && !this.publishes) {
			problems.add(": results of authentications are not published, because there is no "
					+ "AuthenticationEventPublisher bean. Define one, unless another component publishes them.");
		}
		if (chargePolicy.hasStatusReset() && !compiled.key().identifiesAccounts()) {
			problems.add(": every client with an account of its own can reset the bucket by reset-on, because the key ("
					+ rule.scope() + ") does not contain the account. Add the account to the key, or remove reset-on.");
		}
		if (chargePolicy.hasStatusReset() && rule.appliesToRequests() && rule.selection().methods().isEmpty()) {
			problems
				.add(": a request with any HTTP method resets the bucket if its status is in reset-on, for example a "
						+ "GET request for the login page. Set methods to the methods of the login, such as POST.");
		}
	}

}
