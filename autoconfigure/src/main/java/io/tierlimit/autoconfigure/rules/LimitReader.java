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
 * Reads the limits of one rule and collects their problems.
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

	/** Reads the limits; returns {@code null} if the rule's own limit is not valid. */
	@Nullable RuleLimits read() {
		if (this.rule.start() != null && this.rule.algorithm() != Algorithm.FIXED_WINDOW) {
			this.problems.add("start is not supported by " + KebabCase.of(this.rule.algorithm()),
					"Set algorithm to fixed-window, or remove", "start");
		}
		if (this.rule.limit().isUnlimited()) {
			this.problems.add("only plans can be unlimited", "Remove", "unlimited");
		}
		Limit standard = limit("", this.rule.limit());
		Map<String, PlanLimit> plans = new LinkedHashMap<>();
		this.rule.plans().forEach((plan, limits) -> {
			if (plan.isBlank()) {
				this.problems.add("a plan has no name", "Set its name in", "plans");
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
			this.problems.add("unlimited cannot be combined with rate, burst or capacity", "Remove these, or",
					prefix + "unlimited");
		}
		return PlanLimit.UNLIMITED;
	}

	private @Nullable Limit limit(String prefix, LimitDefinition numbers) {
		Rate rate = this.problems.attempt(prefix + RATE, numbers::rate);
		if (rate == null) {
			if (!this.problems.has(prefix + RATE)) {
				this.problems.addMissingRate(prefix + RATE);
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
		// For a text that is not valid the default was checked, which must not be used.
		return (this.problems.has(prefix + BURST) || this.problems.has(prefix + CAPACITY)) ? null : limit;
	}

	/** A limit with a rate, and neither burst nor capacity. */
	private @Nullable Limit without(String prefix, Rate rate, LimitDefinition numbers, Function<Rate, Limit> limit) {
		String name = KebabCase.of(this.rule.algorithm());
		if (numbers.hasBurst()) {
			this.problems.add("burst is not supported by " + name, "Remove", prefix + BURST);
		}
		if (numbers.capacity() != null) {
			this.problems.add("capacity is not supported by " + name, "Remove", prefix + CAPACITY);
		}
		return this.problems.attempt(prefix + RATE, () -> limit.apply(rate));
	}

	private @Nullable Limit tokenBucket(String prefix, Rate rate, LimitDefinition numbers) {
		if (numbers.capacity() != null) {
			this.problems.add("capacity is not supported by token-bucket", "Set burst instead of", prefix + CAPACITY);
		}
		return this.problems.attempt(prefix + BURST, () -> {
			Burst burst = numbers.burst();
			return (burst != null) ? new TokenBucket(rate, burst.at(rate)) : new TokenBucket(rate);
		});
	}

	private @Nullable Limit fixedWindow(String prefix, Rate rate, LimitDefinition numbers) {
		if (numbers.hasBurst()) {
			this.problems.add("burst is not supported by fixed-window", "Set capacity instead of", prefix + BURST);
		}
		long saved = Objects.requireNonNullElse(numbers.capacity(), rate.permits());
		Duration start = this.rule.start();
		// First without start, so that each problem is reported for its own property.
		if (this.problems.attempt(prefix + CAPACITY, () -> new FixedWindow(rate, saved, null)) == null) {
			return null;
		}
		if (start != null && start.compareTo(rate.period()) >= 0) {
			this.problems.add("start must be shorter than the period of " + prefix + "rate, " + rate + " (was "
					+ this.problems.written("start", start) + ")", "Correct", "start");
			return null;
		}
		return this.problems.attempt("start", () -> new FixedWindow(rate, saved, start));
	}

}
