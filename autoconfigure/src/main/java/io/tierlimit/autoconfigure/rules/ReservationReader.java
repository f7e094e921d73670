package io.tierlimit.autoconfigure.rules;

import java.time.Duration;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.ReservationOptions;
import io.tierlimit.rule.RuleLimits;
import org.jspecify.annotations.Nullable;

/**
 * Reads how far callers can reserve permits, and notes what is wrong with that.
 */
final class ReservationReader {

	private final RuleProblems problems;

	ReservationReader(RuleProblems problems) {
		this.problems = problems;
	}

	/**
	 * Reads the bounds.
	 * @param maxReserved the permits that a bucket may owe to programs
	 * @param maxWait how long requests and calls wait at most
	 * @param limits what permits would be reserved of; {@code null} if that is wrong
	 * itself
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
			this.problems.add(
					"has " + property + ", but algorithm " + KebabCase.of(algorithm) + " knows of no permits to come",
					"Choose token-bucket, leaky-bucket or fixed-window, or remove", property);
		}
		return !written;
	}

}
