package io.tierlimit.rule;

import java.util.List;

/**
 * What a rule makes of how a request has ended: whether what it was charged stands, and
 * whether its bucket is full again.
 *
 * @param charge charged is only a request to which one of these has happened; empty:
 * every request
 * @param resetOn what makes the bucket full again; empty: nothing
 */
public record ChargePolicy(List<OutcomeCondition> charge, List<OutcomeCondition> resetOn) {

	private static final int NOT_ACCEPTABLE = 406;

	/** The word for charging whatever happens. */
	public static final String ALWAYS = "always";

	/** What rules do that say nothing else. */
	public static final ChargePolicy STANDARD = new ChargePolicy(List.of(), List.of());

	/**
	 * Creates a charging.
	 * @throws IllegalArgumentException if a failed authentication is to reset, or one
	 * thing is to do both
	 */
	public ChargePolicy {
		charge = List.copyOf(charge);
		resetOn = List.copyOf(resetOn);
		if (resetOn.contains(AuthenticationResult.FAILURE)) {
			throw new IllegalArgumentException(
					"A bucket is not reset on " + AuthenticationResult.FAILURE + ": that would make guessing free");
		}
		for (OutcomeCondition reset : resetOn) {
			for (OutcomeCondition charged : charge) {
				if (reset.overlaps(charged)) {
					throw new IllegalArgumentException("A request is either charged for " + charged
							+ " or makes the bucket full by " + reset + ", not both");
				}
			}
		}
	}

	/**
	 * Whether it doesn't matter how requests end.
	 * @return whether every request is charged and none resets the bucket
	 */
	public boolean isStandard() {
		return this.charge.isEmpty() && this.resetOn.isEmpty();
	}

	/**
	 * Whether the charge of a request stands. It does if the status may not show what
	 * happened: a client need neither wait for an answer nor accept it.
	 * @param outcome the outcome of the request
	 * @return whether it stands
	 */
	public boolean charges(RequestOutcome outcome) {
		return this.charge.isEmpty() || isHidden(outcome) || happened(this.charge, outcome);
	}

	/**
	 * Whether a request resets the bucket by its status.
	 * @param outcome the outcome of the request
	 * @return whether it does, provided that the request reached what the rule names
	 */
	public boolean resetsByStatus(RequestOutcome outcome) {
		return mayReset(outcome) && this.resetOn.stream()
			.anyMatch((condition) -> condition instanceof StatusRange && condition.isIn(outcome));
	}

	/**
	 * Whether a request resets the bucket by an authentication. One that is answered with
	 * an error doesn't.
	 * @param outcome the outcome of the request
	 * @return whether it does, provided that the bucket belongs to an account that has
	 * authenticated
	 */
	public boolean resetsBySuccess(RequestOutcome outcome) {
		return mayReset(outcome) && outcome.status() < 400 && resetsOnSuccess()
				&& AuthenticationResult.SUCCESS.isIn(outcome);
	}

	/**
	 * A failure outweighs every success beside it: an exception, a failed authentication,
	 * and whatever the rule charges for.
	 */
	private boolean mayReset(RequestOutcome outcome) {
		return !isHidden(outcome) && !outcome.failed() && !outcome.authenticationFailed()
				&& !happened(this.charge, outcome);
	}

	/**
	 * Whether the status may not show what happened, which a client can cause on purpose.
	 */
	private static boolean isHidden(RequestOutcome outcome) {
		return outcome.statusHidden() || outcome.status() == NOT_ACCEPTABLE;
	}

	/**
	 * Whether a successful authentication resets the bucket.
	 * @return whether it is one of the words of {@code reset-on}
	 */
	public boolean resetsOnSuccess() {
		return this.resetOn.contains(AuthenticationResult.SUCCESS);
	}

	/**
	 * Whether some status resets the bucket.
	 * @return whether one of the words of {@code reset-on} is a status
	 */
	public boolean resetsOnStatus() {
		return this.resetOn.stream().anyMatch(StatusRange.class::isInstance);
	}

	/**
	 * Whether it matters what becomes of authentications.
	 * @return whether one of its words is about them
	 */
	public boolean waitsForAuthentication() {
		return this.charge.stream().anyMatch(AuthenticationResult.class::isInstance)
				|| this.resetOn.stream().anyMatch(AuthenticationResult.class::isInstance);
	}

	private static boolean happened(List<OutcomeCondition> conditions, RequestOutcome outcome) {
		return conditions.stream().anyMatch((condition) -> condition.isIn(outcome));
	}

}
