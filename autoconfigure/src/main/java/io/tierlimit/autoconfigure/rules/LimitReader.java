package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.tierlimit.LimitDefinition;
import io.tierlimit.RuleDefinition;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Burst;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RuleLimits;
import org.jspecify.annotations.Nullable;

/**
 * Reads the limits of one rule and notes all that is wrong with them.
 */
final class LimitReader {

	private static final String RATE = "rate";

	private static final String BURST = "burst";

	private static final String CAPACITY = "capacity";

	private final RuleDefinition rule;

	private final RuleProblems problems;

	LimitReader(RuleDefinition rule, RuleProblems problems) {
		this.rule = rule;
		this.problems = problems;
	}

	/** The limits; {@code null} if something is wrong with the rule's own. */
	@Nullable RuleLimits read() {
		if (this.rule.start() != null && this.rule.algorithm() != Algorithm.FIXED_WINDOW) {
			this.problems.add("has a start, but no windows that could start",
					"Choose the algorithm fixed-window, or remove", "start");
		}
		if (this.rule.limit().isUnlimited()) {
			this.problems.add("is unlimited, but only plans can be", "Remove", "unlimited");
		}
		Limit standard = limit("", this.rule.limit());
		Map<String, PlanLimit> plans = new LinkedHashMap<>();
		this.rule.plans().forEach((plan, limits) -> {
			if (plan.isBlank()) {
				this.problems.add("has a plan without a name", "Name it in", "plans");
			}
			PlanLimit limit = planLimit("plans." + plan + ".", limits);
			if (limit != null) {
				plans.put(plan, limit);
			}
		});
		return (standard != null) ? new RuleLimits(standard, plans) : null;
	}

	private @Nullable PlanLimit planLimit(String prefix, LimitDefinition plan) {
		if (!plan.isUnlimited()) {
			Limit limit = limit(prefix, plan);
			return (limit != null) ? new PlanLimit(limit) : null;
		}
		if (plan.hasNumbers()) {
			this.problems.add("has a plan with both a limit and none at all", "Remove the limit or",
					prefix + "unlimited");
		}
		return PlanLimit.UNLIMITED;
	}

	private @Nullable Limit limit(String prefix, LimitDefinition numbers) {
		Rate rate = this.problems.attempt(prefix + RATE, numbers::rate);
		if (rate == null) {
			if (!this.problems.has(prefix + RATE)) {
				this.problems.add("has a limit without a rate", "Write permits per period, such as 10/s, as",
						prefix + RATE);
			}
			return null;
		}
		Limit limit = switch (this.rule.algorithm()) {
			case TOKEN_BUCKET -> tokenBucket(prefix, rate, numbers);
			case FIXED_WINDOW -> fixedWindow(prefix, rate, numbers);
			case SLIDING_WINDOW -> without(prefix, rate, numbers, SlidingWindow::new);
			case SLIDING_LOG -> without(prefix, rate, numbers, SlidingLog::new);
			case LEAKY_BUCKET -> without(prefix, rate, numbers, LeakyBucket::new);
		};
		// A text that is not valid leaves a default, which would be checked in its place.
		return (this.problems.has(prefix + BURST) || this.problems.has(prefix + CAPACITY)) ? null : limit;
	}

	/** A limit that is nothing but a rate. */
	private @Nullable Limit without(String prefix, Rate rate, LimitDefinition numbers, Function<Rate, Limit> limit) {
		String name = KebabCase.of(this.rule.algorithm());
		if (numbers.hasBurst()) {
			this.problems.add("has a burst, but algorithm " + name + " saves nothing", "Remove", prefix + BURST);
		}
		if (numbers.capacity() != null) {
			this.problems.add("has a capacity, but algorithm " + name + " has none but its rate", "Remove",
					prefix + CAPACITY);
		}
		return this.problems.attempt(prefix + RATE, () -> limit.apply(rate));
	}

	private @Nullable Limit tokenBucket(String prefix, Rate rate, LimitDefinition numbers) {
		if (numbers.capacity() != null) {
			this.problems.add("has a capacity, but a token bucket has a burst", "Write burst in place of",
					prefix + CAPACITY);
		}
		return this.problems.attempt(prefix + BURST, () -> {
			Burst burst = numbers.burst();
			return (burst != null) ? new TokenBucket(rate, burst.at(rate)) : new TokenBucket(rate);
		});
	}

	private @Nullable Limit fixedWindow(String prefix, Rate rate, LimitDefinition numbers) {
		if (numbers.hasBurst()) {
			this.problems.add("has a burst, but a fixed window has a capacity", "Write capacity in place of",
					prefix + BURST);
		}
		long saved = Objects.requireNonNullElse(numbers.capacity(), rate.permits());
		Duration start = this.rule.start();
		// Checked without the start first, so that each mistake is reported where it is.
		if (this.problems.attempt(prefix + CAPACITY, () -> new FixedWindow(rate, saved, null)) == null) {
			return null;
		}
		if (start != null && start.compareTo(rate.period()) >= 0) {
			this.problems.add("has start " + start + ", but windows start at an offset shorter than their period, and "
					+ prefix + "rate is " + rate, "Correct", "start");
			return null;
		}
		return this.problems.attempt("start", () -> new FixedWindow(rate, saved, start));
	}

}
