package io.tierlimit.option.wait;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bounds of reservations.
 */
public final class ReservationReader implements OptionReader {

	private static final String MAX_RESERVED = "max-reserved";

	private static final String MAX_WAIT = "max-wait";

	@Override
	public List<String> properties() {
		return List.of(MAX_RESERVED, MAX_WAIT);
	}

	@Override
	public @Nullable ReservationOptions read(PropertyReader properties, RuleContext rule) {
		RuleProblems problems = properties.problems();
		ReservationOptions before = rule.options().find(ReservationOptions.class);
		long maxReserved = properties.valueOr(MAX_RESERVED, (before != null) ? before.maxReserved() : 0L);
		Duration maxWait = properties.valueOr(MAX_WAIT, Duration.ZERO);
		problems.attempt(MAX_RESERVED, () -> new ReservationOptions(maxReserved, Duration.ZERO));
		problems.attempt(MAX_WAIT, () -> new ReservationOptions(0, maxWait));
		RuleLimits limits = rule.limits();
		if (limits != null && !limits.areReservable()) {
			Algorithm algorithm = limits.standard().algorithm();
			reject(MAX_RESERVED, maxReserved != 0, algorithm, problems);
			reject(MAX_WAIT, !maxWait.isZero() && !limits.allowWaiting(), algorithm, problems);
		}
		if (problems.has(MAX_RESERVED) || problems.has(MAX_WAIT)) {
			return null;
		}
		ReservationOptions read = new ReservationOptions(maxReserved, maxWait);
		return (before == null && read.equals(ReservationOptions.NONE)) ? null : read;
	}

	private static void reject(String property, boolean written, Algorithm algorithm, RuleProblems problems) {
		if (written) {
			problems.add(property + " is not supported by " + KebabCase.of(algorithm),
					"Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove", property);
		}
	}

}
