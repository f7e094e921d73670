package io.tierlimit.autoconfigure.rules;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.tierlimit.AdaptiveDefinition;
import io.tierlimit.RuleDefinition;
import io.tierlimit.RuleMode;
import io.tierlimit.limit.Rate;
import io.tierlimit.rule.AdaptivePolicy;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import org.jspecify.annotations.Nullable;

/**
 * Reads when the rate of a rule is reduced, and collects the problems.
 */
final class AdaptiveReader {

	private static final String MIN_RATE = "min-rate";

	private static final int RECOVERY_PER_LATENCY = 20;

	private static final Rate ANY_RATE = new Rate(1, 1);

	private static final Duration ANY_LATENCY = Duration.ofSeconds(1);

	private final RuleDefinition rule;

	private final Collection<String> signals;

	private final RuleProblems problems;

	AdaptiveReader(RuleDefinition rule, BeanNames beans, RuleProblems problems) {
		this.rule = rule;
		this.signals = beans.overloadSignals();
		this.problems = problems.below("adaptive");
	}

	/**
	 * Reads the policy.
	 * @param limits the limits of the rule; {@code null} if they are not valid
	 * @param hasKey whether an expression may differ by caller
	 * @return the policy; {@code null} if there is none, or if it is not valid
	 */
	@Nullable AdaptivePolicy read(@Nullable RuleLimits limits, boolean hasKey) {
		AdaptiveDefinition adaptive = this.rule.adaptive();
		if (adaptive == null) {
			return null;
		}
		Rate minRate = minRate(adaptive, limits);
		String signal = RuleTexts.text(adaptive.signal());
		checkSignal(signal);
		Duration latency = check("target-latency", adaptive.targetLatency(), this::ofLatency);
		Double errors = check("max-error-rate", adaptive.maxErrorRate(), this::ofErrors);
		Duration recovery = check("recovery", adaptive.recovery(), this::ofRecovery);
		if (adaptive.targetLatency() == null && adaptive.maxErrorRate() == null && signal == null
				&& !isWritten("target-latency", "max-error-rate")) {
			this.problems.add("nothing is measured, so the rate would never be reduced",
					"Set target-latency, max-error-rate or signal in", "");
		}
		if (this.problems.hasAny() || minRate == null || limits == null) {
			return null;
		}
		String resource = Objects.requireNonNullElse(RuleTexts.text(adaptive.resource()), this.rule.id());
		AdaptivePolicy policy = new AdaptivePolicy(minRate, latency, errors, signal,
				Objects.requireNonNullElse(recovery, AdaptivePolicy.DEFAULT_RECOVERY), resource, adaptive.priority());
		warnOfRecovery(policy);
		if ((latency != null || errors != null) && BanReader.isShared(this.rule, hasKey)) {
			warnOfRate(limits.standard().rate());
		}
		if (this.rule.mode() == RuleMode.SHADOW) {
			this.problems.warn("the rule is in shadow mode, so a reduced rate rejects no request",
					"Set mode to enforce, or remove", "");
		}
		return policy;
	}

	private void warnOfRecovery(AdaptivePolicy policy) {
		Duration latency = policy.targetLatency();
		Duration enough = (latency != null) ? latency.multipliedBy(RECOVERY_PER_LATENCY) : Duration.ZERO;
		if (policy.recovery().compareTo(enough) < 0) {
			this.problems.warn(
					"recovery is shorter than " + RECOVERY_PER_LATENCY
							+ " times target-latency, so the rate rises far before the next judgment",
					"Set {} to at least " + enough.plusMillis(999).toSeconds() + "s", "recovery");
		}
	}

	/** If each caller had a bucket, callers might send enough requests together. */
	private void warnOfRate(Rate shared) {
		if (shared.period().compareTo(Duration.ofSeconds(shared.permits())) > 0) {
			this.problems.warn("a rate of " + shared + " allows too few requests for a judgment",
					"Set the rate to several requests per second, or remove", "");
		}
	}

	private boolean isWritten(String... properties) {
		for (String property : properties) {
			if (this.problems.isWritten(property)) {
				return true;
			}
		}
		return false;
	}

	private @Nullable Rate minRate(AdaptiveDefinition adaptive, @Nullable RuleLimits limits) {
		Rate minRate = this.problems.attempt(MIN_RATE, adaptive::minRate);
		if (minRate == null) {
			if (!this.problems.has(MIN_RATE) && !this.problems.isWritten(MIN_RATE)) {
				this.problems.add("min-rate is not set", "Set {} to the lowest rate, such as 10/s", MIN_RATE);
			}
			return null;
		}
		Rate rate = (limits != null) ? limits.standard().rate() : null;
		if (rate != null && AdaptivePolicy.share(minRate, rate).compareTo(BigDecimal.ONE) >= 0) {
			this.problems.add("min-rate must be lower than the rate of the rule, " + rate + " (was "
					+ this.problems.written(MIN_RATE, minRate) + ")", "Correct", MIN_RATE);
		}
		return minRate;
	}

	private void checkSignal(@Nullable String signal) {
		if (signal != null && !this.signals.contains(signal)) {
			this.problems.add("signal '" + signal + "' does not exist. The OverloadSignal beans are " + this.signals,
					"Correct {}, or define an OverloadSignal bean named '" + signal + "'", "signal");
		}
	}

	private <T> @Nullable T check(String property, @Nullable T value, Function<T, AdaptivePolicy> policy) {
		if (value != null) {
			this.problems.attempt(property, () -> policy.apply(value));
		}
		return value;
	}

	private AdaptivePolicy ofLatency(Duration latency) {
		return new AdaptivePolicy(ANY_RATE, latency, null, null, AdaptivePolicy.DEFAULT_RECOVERY, this.rule.id(), 0);
	}

	private AdaptivePolicy ofErrors(double share) {
		return new AdaptivePolicy(ANY_RATE, null, share, null, AdaptivePolicy.DEFAULT_RECOVERY, this.rule.id(), 0);
	}

	private AdaptivePolicy ofRecovery(Duration recovery) {
		return new AdaptivePolicy(ANY_RATE, ANY_LATENCY, null, null, recovery, this.rule.id(), 0);
	}

	/** Reports rules of one resource that do not recover in the same time. */
	static void checkResources(Collection<Rule> rules, Problems problems) {
		Map<String, Rule> firsts = new HashMap<>();
		for (Rule rule : rules) {
			AdaptivePolicy policy = rule.options().adaptive();
			Rule first = (policy != null) ? firsts.putIfAbsent(policy.resource(), rule) : null;
			AdaptivePolicy other = (first != null) ? first.options().adaptive() : null;
			if (policy != null && first != null && other != null && !policy.recovery().equals(other.recovery())) {
				problems.add("The rules '" + first.id() + "' and '" + rule.id() + "' protect the resource '"
						+ policy.resource() + "', but adaptive.recovery is " + other.recovery().toSeconds() + "s and "
						+ policy.recovery().toSeconds() + "s. Set the same time in both rules.");
			}
		}
	}

}
