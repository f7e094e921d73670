package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.AppliesTo;
import io.tierlimit.BanDefinition;
import io.tierlimit.RuleDefinition;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.rule.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Reads when a rule bans callers and collects the problems.
 */
final class BanReader {

	private static final Set<String> SHARED = Set.of(Scope.GLOBAL, Scope.ENDPOINT, Scope.PLAN);

	private static final String PROPERTY = "ban";

	private static final Duration SHORTEST = Duration.of(1, ChronoUnit.MICROS);

	private final RuleDefinition rule;

	private final RuleProblems problems;

	BanReader(RuleDefinition rule, RuleProblems problems) {
		this.rule = rule;
		this.problems = problems;
	}

	/**
	 * Reads the policy.
	 * @param cost the cost of a request
	 * @param hasKey whether an expression may differ by caller
	 * @return the policy; {@code null} if there is none, or if it is not valid
	 */
	@Nullable BanPolicy read(String cost, boolean hasKey) {
		BanDefinition ban = this.rule.ban();
		if (ban == null) {
			return null;
		}
		checkOwner(hasKey);
		if (cost.chars().allMatch((c) -> c == '0')) {
			this.problems.add("a request that costs 0 is never rejected, so no caller would be banned",
					"Raise cost, or remove", PROPERTY);
		}
		boolean valid = this.problems.attempt("ban.after",
				() -> BanPolicy.of(ban.after(), SHORTEST, SHORTEST, SHORTEST)) != null;
		valid &= this.problems.attempt("ban.within", () -> BanPolicy.of(1, ban.within(), SHORTEST, SHORTEST)) != null;
		boolean duration = this.problems.attempt("ban.for",
				() -> BanPolicy.of(1, SHORTEST, ban.duration(), ban.duration())) != null;
		Duration max = Objects.requireNonNullElse(ban.max(), ban.duration());
		Duration least = duration ? ban.duration() : SHORTEST;
		valid &= this.problems.attempt("ban.max", () -> BanPolicy.of(1, SHORTEST, least, max)) != null;
		return (valid && duration) ? BanPolicy.of(ban.after(), ban.within(), ban.duration(), max) : null;
	}

	/** Whether callers share the rule's buckets. */
	static boolean isShared(RuleDefinition rule, boolean hasKey) {
		return !hasKey && SHARED.containsAll(rule.scope());
	}

	/** A ban of a bucket that callers share would let one caller block all others. */
	private void checkOwner(boolean hasKey) {
		if (!isShared(this.rule, hasKey)) {
			return;
		}
		String problem = "callers share a bucket, so the ban of one would block the others";
		if (this.rule.appliesTo() == AppliesTo.METHODS) {
			this.problems.warn(problem + ", unless each annotation that names the rule sets a key of the caller",
					"Set scope to user or ip, or remove", PROPERTY);
		}
		else {
			this.problems.add(problem, "Set scope to user or ip, or remove", PROPERTY);
		}
	}

}
