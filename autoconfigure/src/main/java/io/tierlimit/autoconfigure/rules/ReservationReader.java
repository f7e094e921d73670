package io.tierlimit.autoconfigure.rules;

import java.time.Duration;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.ReservationOptions;
import io.tierlimit.rule.RuleLimits;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bounds of reservations and collects their problems.
 */
final class ReservationReader {

	private final RuleProblems problems;

	ReservationReader(RuleProblems problems) {
		this.problems = problems;
	}

	/**
	 * Reads the bounds.
	 * @param maxReserved the permits that programs may reserve of a bucket
	 * @param maxWait the longest wait of requests and calls
	 * @param limits the limits of the rule; {@code null} if they are not valid
	 */
	ReservationOptions read(long maxReserved, Duration maxWait, @Nullable RuleLimits limits) {
		boolean right = this.problems.attempt("max-reserved",
				() -> new ReservationOptions(maxReserved, Duration.ZERO)) != null;
		right &= this.problems.attempt("max-wait", () -> new ReservationOptions(0, maxWait)) != null;
		if (limits != null && !limits.areReservable()) {
			Algorithm algorithm = limits.standard().algorithm();
			right &= reject("max-reserved", maxReserved != 0, algorithm);
			right &= reject("max-wait", !maxWait.isZero(), algorithm);
		}
		return right ? new ReservationOptions(maxReserved, maxWait) : ReservationOptions.NONE;
	}

	private boolean reject(String property, boolean written, Algorithm algorithm) {
		if (written) {
			this.problems.add(property + " is not supported by " + KebabCase.of(algorithm),
					"Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove", property);
		}
		return !written;
	}

}
