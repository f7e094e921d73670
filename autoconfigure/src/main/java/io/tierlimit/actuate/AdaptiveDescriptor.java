package io.tierlimit.actuate;

import java.math.BigDecimal;
import java.time.Duration;

import io.tierlimit.option.adaptive.AdaptiveRate;
import io.tierlimit.rule.AdaptivePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The adaptive rate of a rule.
 *
 * @param share the share of the configured rate that is in force in this instance
 * @param minRate the rate below which the rule is never reduced
 * @param targetLatency the latency that at most 10% of the requests may exceed;
 * {@code null} if it is not measured
 * @param maxErrorRate the share of the requests that may fail; {@code null} if errors are
 * not measured
 * @param signal the bean that reports overload; {@code null} for none
 * @param recovery the time in which the rate rises from 0 to that of the rule
 * @param resource what the rule protects
 * @param priority the priority among the rules of the resource
 */
record AdaptiveDescriptor(BigDecimal share, String minRate, @Nullable Duration targetLatency,
		@Nullable Double maxErrorRate, @Nullable String signal, Duration recovery, String resource, int priority) {

	static @Nullable AdaptiveDescriptor of(@Nullable AdaptiveRate rate) {
		if (rate == null) {
			return null;
		}
		AdaptivePolicy policy = rate.policy();
		return new AdaptiveDescriptor(rate.share().stripTrailingZeros(), policy.minRate().toString(),
				policy.targetLatency(), policy.maxErrorRate(), policy.signal(), policy.recovery(), policy.resource(),
				policy.priority());
	}

}
