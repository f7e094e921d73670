package io.tierlimit.autoconfigure.rules;

import java.time.Duration;

import io.tierlimit.autoconfigure.properties.RuleProperties;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.Reservations;

import org.jspecify.annotations.Nullable;

/**
 * Reads how far callers can reserve permits, and notes what is wrong with that.
 */
final class ReservationReader {

	private final RuleProperties rule;

	private final RuleProblems problems;

	ReservationReader(RuleProperties rule, RuleProblems problems) {
		this.rule = rule;
		this.problems = problems;
	}

	/**
	 * Reads the bounds.
	 * @param limits what permits would be reserved of; {@code null} if that is wrong
	 * itself
	 */
	Reservations read(@Nullable Limits limits) {
		long maxReserved = this.rule.maxReserved();
		Duration maxWait = this.rule.maxWait();
		boolean right = this.problems.attempt("max-reserved",
				() -> new Reservations(maxReserved, Duration.ZERO)) != null;
		right &= this.problems.attempt("max-wait", () -> new Reservations(0, maxWait)) != null;
		if (limits != null && !limits.areReservable()) {
			right &= refuse("max-reserved", maxReserved != 0);
			right &= refuse("max-wait", !maxWait.isZero());
		}
		return right ? new Reservations(maxReserved, maxWait) : Reservations.NONE;
	}

	private boolean refuse(String property, boolean written) {
		if (written) {
			this.problems.add(
					"has " + property + ", but algorithm " + KebabCase.of(this.rule.algorithm())
							+ " knows of no permits to come",
					"Choose token-bucket, leaky-bucket or fixed-window, or remove", property);
		}
		return !written;
	}

}
