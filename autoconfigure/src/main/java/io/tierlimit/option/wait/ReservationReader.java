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
		return read(properties, rule.limits());
	}

	/**
	 * Reads the bounds.
	 * @param properties the properties of the rule
	 * @param limits the limits of the rule; {@code null} if they are not valid
	 * @return the bounds; {@code null} for none, and if one is not valid
	 */
	public @Nullable ReservationOptions read(PropertyReader properties, @Nullable RuleLimits limits) {
		RuleProblems problems = properties.problems();
		long maxReserved = properties.valueOr(MAX_RESERVED, 0L);
		Duration maxWait = properties.valueOr(MAX_WAIT, Duration.ZERO);
		boolean right = problems.attempt(MAX_RESERVED,
				() -> new ReservationOptions(maxReserved, Duration.ZERO)) != null;
		right &= problems.attempt(MAX_WAIT, () -> new ReservationOptions(0, maxWait)) != null;
		if (limits != null && !limits.areReservable()) {
			Algorithm algorithm = limits.standard().algorithm();
			right &= !reject(MAX_RESERVED, maxReserved != 0, algorithm, problems);
			right &= !reject(MAX_WAIT, !maxWait.isZero(), algorithm, problems);
		}
		ReservationOptions read = right ? new ReservationOptions(maxReserved, maxWait) : ReservationOptions.NONE;
		return read.equals(ReservationOptions.NONE) ? null : read;
	}

	private static boolean reject(String property, boolean written, Algorithm algorithm, RuleProblems problems) {
		if (written) {
			problems.add(property + " is not supported by " + KebabCase.of(algorithm),
					"Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove", property);
		}
		return written;
	}

}
