package io.tierlimit.option.adaptive;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import io.tierlimit.RuleMode;
import io.tierlimit.limit.Rate;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.reader.Percentage;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import io.tierlimit.spi.OverloadSignal;
import org.jspecify.annotations.Nullable;

/**
 * Reads the adaptive rate of a rule.
 */
public final class AdaptiveReader implements OptionReader {

	private static final String GROUP = "adaptive";

	private static final String MIN_RATE = "min-rate";

	private static final String TARGET_LATENCY = "target-latency";

	private static final String MAX_ERROR_RATE = "max-error-rate";

	private static final String SIGNAL = "signal";

	private static final String RECOVERY = "recovery";

	private static final int RECOVERY_PER_LATENCY = 20;

	private static final Rate ANY_RATE = new Rate(1, 1);

	private static final Duration ANY_LATENCY = Duration.ofSeconds(1);

	@Override
	public List<String> properties() {
		return Stream.of(MIN_RATE, TARGET_LATENCY, MAX_ERROR_RATE, SIGNAL, RECOVERY, "resource", "priority")
			.map((property) -> GROUP + "." + property)
			.toList();
	}

	@Override
	public @Nullable AdaptivePolicy read(PropertyReader properties, RuleContext rule) {
		PropertyReader group = properties.group(GROUP);
		if (group == null) {
			return null;
		}
		RuleProblems problems = group.problems();
		RuleLimits limits = rule.limits();
		Rate minRate = minRate(group, limits);
		String signal = group.text(SIGNAL);
		checkSignal(signal, rule.beans().apply(OverloadSignal.class), problems);
		Duration latency = check(TARGET_LATENCY, group.value(TARGET_LATENCY, Duration.class),
				(time) -> policy(time, null, AdaptivePolicy.DEFAULT_RECOVERY), problems);
		Percentage percentage = group.percentage(MAX_ERROR_RATE);
		Double errors = check(MAX_ERROR_RATE, (percentage != null) ? percentage.share().doubleValue() : null,
				(share) -> policy(null, share, AdaptivePolicy.DEFAULT_RECOVERY), problems);
		Duration recovery = check(RECOVERY, group.value(RECOVERY, Duration.class),
				(time) -> policy(ANY_LATENCY, null, time), problems);
		int priority = group.valueOr("priority", 0);
		if (group.isMissing(TARGET_LATENCY, latency) && group.isMissing(MAX_ERROR_RATE, errors) && signal == null) {
			problems.add("nothing is measured, so the rate would never be reduced",
					"Set target-latency, max-error-rate or signal in", "");
		}
		if (problems.hasAny() || minRate == null || limits == null) {
			return null;
		}
		AdaptivePolicy policy = new AdaptivePolicy(minRate, latency, errors, signal,
				Objects.requireNonNullElse(recovery, AdaptivePolicy.DEFAULT_RECOVERY),
				Objects.requireNonNullElse(group.text("resource"), rule.id()), priority);
		warn(policy, rule, limits.standard().rate(), problems);
		return policy;
	}

	private static void warn(AdaptivePolicy policy, RuleContext rule, Rate rate, RuleProblems problems) {
		warnOfRecovery(policy, problems);
		if ((policy.targetLatency() != null || policy.maxErrorRate() != null) && rule.shared()) {
			warnOfRate(rate, problems);
		}
		if (rule.options().mode() == RuleMode.SHADOW) {
			problems.warn("the rule is in shadow mode, so a reduced rate rejects no request",
					"Set mode to enforce, or remove", "");
		}
	}

	private static void warnOfRecovery(AdaptivePolicy policy, RuleProblems problems) {
		Duration latency = policy.targetLatency();
		Duration enough = (latency != null) ? latency.multipliedBy(RECOVERY_PER_LATENCY) : Duration.ZERO;
		if (policy.recovery().compareTo(enough) < 0) {
			problems.warn(
					"recovery is shorter than " + RECOVERY_PER_LATENCY
							+ " times target-latency, so the rate rises far before the next evaluation",
					"Set {} to at least " + enough.plusMillis(999).toSeconds() + "s", RECOVERY);
		}
	}

	/**
	 * Only for a rule with a shared bucket. If each caller has its own bucket, all
	 * callers together may send enough requests.
	 */
	private static void warnOfRate(Rate shared, RuleProblems problems) {
		if (shared.period().compareTo(Duration.ofSeconds(shared.permits())) > 0) {
			problems.warn("a rate of " + shared + " allows too few requests for an evaluation",
					"Set the rate to several requests per second, or remove", "");
		}
	}

	private static @Nullable Rate minRate(PropertyReader group, @Nullable RuleLimits limits) {
		RuleProblems problems = group.problems();
		Rate minRate = group.parse(MIN_RATE, (text) -> {
			try {
				return Rate.parse(text);
			}
			catch (IllegalArgumentException ex) {
				throw new IllegalArgumentException(String.valueOf(ex.getMessage()).replaceFirst("^rate", MIN_RATE), ex);
			}
		});
		group.required(MIN_RATE, minRate, "the lowest rate, such as 10/s");
		Rate rate = (limits != null && !limits.holdPermits()) ? limits.standard().rate() : null;
		String plan = (limits != null) ? limits.defaultPlan() : null;
		if (minRate != null && rate != null && AdaptivePolicy.share(minRate, rate).compareTo(BigDecimal.ONE) >= 0) {
			problems.add("min-rate must be lower than the rate of "
					+ ((plan != null) ? "the default plan '" + plan + "'" : "the rule") + ", " + rate + " (was "
					+ problems.written(MIN_RATE, minRate) + ")", "Correct", MIN_RATE);
		}
		return minRate;
	}

	private static void checkSignal(@Nullable String signal, Collection<String> signals, RuleProblems problems) {
		if (signal != null && !signals.contains(signal)) {
			problems.add("signal '" + signal + "' does not exist. The OverloadSignal beans are " + signals,
					"Correct {}, or define an OverloadSignal bean named '" + signal + "'", SIGNAL);
		}
	}

	private static <T> @Nullable T check(String property, @Nullable T value, Function<T, AdaptivePolicy> policy,
			RuleProblems problems) {
		if (value != null) {
			problems.attempt(property, () -> policy.apply(value));
		}
		return value;
	}

	/** Creates a policy to check one value. */
	private static AdaptivePolicy policy(@Nullable Duration latency, @Nullable Double errors, Duration recovery) {
		return new AdaptivePolicy(ANY_RATE, latency, errors, null, recovery, "any", 0);
	}

	/** Reports rules of one resource with different recovery times. */
	@Override
	public void check(Collection<Rule> rules, Problems problems) {
		Map<String, Rule> firsts = new HashMap<>();
		for (Rule rule : rules) {
			AdaptivePolicy policy = rule.options().find(AdaptivePolicy.class);
			Rule first = (policy != null) ? firsts.putIfAbsent(policy.resource(), rule) : null;
			AdaptivePolicy other = (first != null) ? first.options().find(AdaptivePolicy.class) : null;
			if (policy != null && first != null && other != null && !policy.recovery().equals(other.recovery())) {
				problems.add("The rules '" + first.id() + "' and '" + rule.id() + "' protect the resource '"
						+ policy.resource() + "', but adaptive.recovery is " + other.recovery().toSeconds() + "s and "
						+ policy.recovery().toSeconds() + "s. Set the same time in both rules.");
			}
		}
	}

}
