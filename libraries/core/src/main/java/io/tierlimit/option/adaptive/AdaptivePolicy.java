package io.tierlimit.option.adaptive;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;

import io.tierlimit.limit.Rate;
import io.tierlimit.option.RuleOption;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.RuleLimits;
import org.jspecify.annotations.Nullable;

/**
 * Defines when and how far the rate of a rule is reduced: the rate follows the health of
 * the resource that the rule protects.
 *
 * @param minRate the rate below which the rule is never reduced
 * @param targetLatency the time that at most 10% of the requests may exceed: 1 ms to 60
 * s; {@code null} if the latency is not measured
 * @param maxErrorRate the share of the requests that may fail: from 0, below 1;
 * {@code null} if errors are not measured
 * @param signal the name of a bean that reports overload; {@code null} for none
 * @param recovery the time in which the rate rises from 0 to the rate of the rule while
 * the resource is healthy: 10 s to 1 day
 * @param resource the name of the resource; the rules of one resource are reduced
 * together
 * @param priority rules of the same resource with a lower priority are reduced first
 */
public record AdaptivePolicy(Rate minRate, @Nullable Duration targetLatency, @Nullable Double maxErrorRate,
		@Nullable String signal, Duration recovery, String resource, int priority) implements OptionValue {

	/** The default of {@link #recovery}. */
	public static final Duration DEFAULT_RECOVERY = Duration.ofMinutes(1);

	/** The longest latency that can be a target. */
	public static final Duration MAX_LATENCY = Duration.ofMinutes(1);

	private static final Duration MIN_LATENCY = Duration.ofMillis(1);

	private static final Duration MIN_RECOVERY = Duration.ofSeconds(10);

	private static final Duration MAX_RECOVERY = Duration.ofDays(1);

	/**
	 * Creates a policy.
	 * @throws IllegalArgumentException if a value is out of range, or if nothing is
	 * measured
	 */
	public AdaptivePolicy {
		check("target-latency", targetLatency, MIN_LATENCY, MAX_LATENCY);
		check("recovery", recovery, MIN_RECOVERY, MAX_RECOVERY);
		if (maxErrorRate != null && !(maxErrorRate >= 0 && maxErrorRate < 1)) {
			throw new IllegalArgumentException(
					"max-error-rate must be from 0% to below 100% (was " + percent(maxErrorRate) + ")");
		}
		if (targetLatency == null && maxErrorRate == null && signal == null) {
			throw new IllegalArgumentException(
					"adaptive needs a target-latency, a max-error-rate or a signal, or the rate never changes");
		}
		if (resource.isBlank()) {
			throw new IllegalArgumentException("resource must not be blank");
		}
	}

	@Override
	public void check(RuleLimits limits) {
		limits.requireConsumedPermits("adaptive");
	}

	@Override
	public boolean appliesToDerived() {
		return true;
	}

	/** Describes the policy for the management endpoint. */
	void describe(Map<String, Object> description) {
		description.put("minRate", this.minRate.toString());
		RuleOption.put(description, "targetLatency", this.targetLatency);
		RuleOption.put(description, "maxErrorRate", this.maxErrorRate);
		RuleOption.put(description, "signal", this.signal);
		description.put("recovery", this.recovery);
		description.put("resource", this.resource);
		description.put("priority", this.priority);
	}

	private static void check(String name, @Nullable Duration time, Duration min, Duration max) {
		if (time != null && (time.compareTo(min) < 0 || time.compareTo(max) > 0)) {
			throw new IllegalArgumentException(
					name + " must be from " + text(min) + " to " + text(max) + " (was " + text(time) + ")");
		}
	}

	private static String percent(double share) {
		return BigDecimal.valueOf(share).movePointRight(2).stripTrailingZeros().toPlainString() + "%";
	}

	private static String text(Duration time) {
		if (time.compareTo(MAX_RECOVERY) >= 0) {
			return time.toDays() + "d";
		}
		return (time.toMillis() % 1000 == 0) ? time.toSeconds() + "s" : time.toMillis() + "ms";
	}

	/**
	 * The ratio of two rates, rounded up: 0.4 for 40/s of 100/s.
	 * @param part the rate that is divided
	 * @param rate the rate by which it is divided
	 * @return the ratio, above 0
	 */
	static BigDecimal share(Rate part, Rate rate) {
		BigDecimal numerator = BigDecimal.valueOf(part.permits()).multiply(BigDecimal.valueOf(rate.periodTicks()));
		BigDecimal denominator = BigDecimal.valueOf(part.periodTicks()).multiply(BigDecimal.valueOf(rate.permits()));
		// Rounded up, so that whole permits of the minimum rate remain.
		return numerator.divide(denominator, new MathContext(16, RoundingMode.CEILING));
	}

}
