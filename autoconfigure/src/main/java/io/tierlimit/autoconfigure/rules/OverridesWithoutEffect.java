package io.tierlimit.autoconfigure.rules;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Finds valid overrides without effect. There may be thousands of them, for example while
 * a rule is disabled, so only some are reported for each property.
 *
 * @param rules the rules
 * @param incomplete whether rules may be missing
 * @param edited the id of an override that is always reported; {@code null} for none
 * @param now the current time
 * @param counts the number of warnings by the property
 */
record OverridesWithoutEffect(RuleSet rules, boolean incomplete, @Nullable String edited, Instant now,
		Map<String, Integer> counts) {

	private static final int MOST = 10;

	/**
	 * Reports an override without effect.
	 * @param override the override
	 * @param configured whether it is part of the configuration; other sources may return
	 * overrides that have ended
	 * @param own has its problems
	 */
	void check(CallerOverride override, boolean configured, RuleProblems own) {
		Instant until = override.until();
		if (until != null && override.hasEnded(this.now)) {
			if (configured || override.id().equals(this.edited)) {
				warn(override,
						"until " + own.written("until", until) + " is in the past, so the override has no effect",
						"Correct or remove", "until", own);
			}
			return;
		}
		List<Rule> concerned = this.rules.rules().stream().filter((rule) -> override.concerns(rule.id())).toList();
		if (this.incomplete) {
			return;
		}
		if (override.effect() == Effect.BLOCKED && concerned.stream().allMatch(Rule::isShadow)) {
			warn(override, "no rule that the override applies to is enforced, so the caller is not blocked",
					"Set mode of a rule to enforce, enable a rule, or remove", "blocked", own);
		}
		else if (override.target().kind() == Kind.USER && !concerned.isEmpty()
				&& concerned.stream().noneMatch(OverridesWithoutEffect::mayReadUser)) {
			warn(override, "no rule that the override applies to reads the user, so it probably has no effect",
					"Add a rule with the scope user, or correct", "user", own);
		}
	}

	/** Whether the rule may be decided after authentication. */
	private static boolean mayReadUser(Rule rule) {
		return !rule.appliesToRequests() || !Set.of(Scope.IP, Scope.ENDPOINT).containsAll(rule.scope().names())
				|| rule.scope().key() != null || !rule.options().expressions().isEmpty()
				|| !rule.limits().plans().isEmpty() || !rule.cost().matches("\\d+");
	}

	private void warn(CallerOverride override, String problem, String fix, String property, RuleProblems own) {
		if (override.id().equals(this.edited) || this.counts.merge(property, 1, Integer::sum) <= MOST) {
			own.warn(problem, fix, property);
		}
	}

}
