package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import io.tierlimit.autoconfigure.properties.RuleProperties;
import io.tierlimit.autoconfigure.properties.RuleProperties.PlanProperties;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.PlanLimit;

import org.jspecify.annotations.Nullable;

/**
 * Reads the limits of one rule and notes all that is wrong with them.
 */
final class LimitReader {

	private final RuleProperties rule;

	private final RuleProblems problems;

	LimitReader(RuleProperties rule, RuleProblems problems) {
		this.rule = rule;
		this.problems = problems;
	}

	/** The limits; {@code null} if something is wrong with the rule's own. */
	@Nullable Limits read() {
		if (this.rule.start() != null && this.rule.algorithm() != Algorithm.FIXED_WINDOW) {
			this.problems.add("has a start, but no windows that could start",
					"Choose the algorithm fixed-window, or remove", "start");
		}
		Limit standard = limit("", this.rule.rate(), this.rule.burst(), this.rule.capacity());
		Map<String, PlanLimit> plans = new LinkedHashMap<>();
		RuleSetReader.spelledOnce(this.rule.plans()).forEach((plan, limits) -> {
			PlanLimit limit = planLimit("plans." + plan + ".", limits);
			if (limit != null) {
				plans.put(plan, limit);
			}
		});
		return (standard != null) ? new Limits(standard, plans) : null;
	}

	private @Nullable PlanLimit planLimit(String prefix, PlanProperties plan) {
		if (!plan.unlimited()) {
			Limit limit = limit(prefix, plan.rate(), plan.burst(), plan.capacity());
			return (limit != null) ? new PlanLimit(limit) : null;
		}
		if (text(plan.rate()) != null || text(plan.burst()) != null || text(plan.capacity()) != null) {
			this.problems.add("has a plan with both a limit and none at all", "Remove the limit or",
					prefix + "unlimited");
		}
		return PlanLimit.UNLIMITED;
	}

	private @Nullable Limit limit(String prefix, @Nullable String rate, @Nullable String burst,
			@Nullable String capacity) {
		String rateText = text(rate);
		if (rateText == null) {
			this.problems.add("has a limit without a rate", "Write permits per period, such as 10/s, as",
					prefix + "rate");
			return null;
		}
		Rate parsed = this.problems.attempt(prefix + "rate", () -> Rate.parse(rateText));
		if (parsed == null) {
			return null;
		}
		return switch (this.rule.algorithm()) {
			case TOKEN_BUCKET -> tokenBucket(prefix, parsed, text(burst), text(capacity));
			case FIXED_WINDOW -> fixedWindow(prefix, parsed, text(burst), text(capacity));
			case SLIDING_WINDOW -> without(prefix, parsed, text(burst), text(capacity), SlidingWindow::new);
			case SLIDING_LOG -> without(prefix, parsed, text(burst), text(capacity), SlidingLog::new);
			case LEAKY_BUCKET -> without(prefix, parsed, text(burst), text(capacity), LeakyBucket::new);
		};
	}

	/** A limit that is nothing but a rate. */
	private @Nullable Limit without(String prefix, Rate rate, @Nullable String burst, @Nullable String capacity,
			Function<Rate, Limit> limit) {
		String name = KebabCase.of(this.rule.algorithm());
		if (burst != null) {
			this.problems.add("has a burst, but algorithm " + name + " saves nothing", "Remove", prefix + "burst");
		}
		if (capacity != null) {
			this.problems.add("has a capacity, but algorithm " + name + " has none but its rate", "Remove",
					prefix + "capacity");
		}
		return this.problems.attempt(prefix + "rate", () -> limit.apply(rate));
	}

	private @Nullable Limit tokenBucket(String prefix, Rate rate, @Nullable String burst, @Nullable String capacity) {
		if (capacity != null) {
			this.problems.add("has a capacity, but a token bucket has a burst", "Write burst in place of",
					prefix + "capacity");
		}
		return this.problems.attempt(prefix + "burst",
				() -> (burst != null) ? new TokenBucket(rate, BurstReader.read(burst, rate)) : new TokenBucket(rate));
	}

	private @Nullable Limit fixedWindow(String prefix, Rate rate, @Nullable String burst, @Nullable String capacity) {
		if (burst != null) {
			this.problems.add("has a burst, but a fixed window has a capacity", "Write capacity in place of",
					prefix + "burst");
		}
		Long saved = (capacity != null) ? this.problems.attempt(prefix + "capacity", () -> capacity(capacity))
				: Long.valueOf(rate.permits());
		Duration start = this.rule.start();
		// Checked without the start first, so that each mistake is told where it stands.
		if (saved == null
				|| this.problems.attempt(prefix + "capacity", () -> new FixedWindow(rate, saved, null)) == null) {
			return null;
		}
		if (start != null && start.compareTo(rate.period()) >= 0) {
			this.problems.add("has start " + start + ", but windows start at an offset shorter than their period, and "
					+ prefix + "rate is " + rate, "Correct", "start");
			return null;
		}
		return this.problems.attempt("start", () -> new FixedWindow(rate, saved, start));
	}

	private static long capacity(String text) {
		try {
			return Long.parseLong(text);
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("'" + text + "' is no capacity: write a whole number of permits", ex);
		}
	}

	private static @Nullable String text(@Nullable String value) {
		return (value == null || value.isBlank()) ? null : value.strip();
	}

}
