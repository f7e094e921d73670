package io.tierlimit.option.outcome;

import java.util.List;

import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import org.jspecify.annotations.Nullable;

/**
 * Defines how the outcome of a request changes its charge under a rule: whether the
 * charge is kept, and whether the bucket is reset.
 *
 * @param chargeOn the outcomes that are charged; if empty, every request is charged
 * @param resetOn the outcomes that reset the bucket; if empty, no outcome resets it
 */
public record ChargePolicy(List<OutcomeCondition> chargeOn, List<OutcomeCondition> resetOn) implements OptionValue {

	private static final int NOT_ACCEPTABLE = 406;

	/** The value in the configuration if every request is charged. */
	public static final String ALWAYS = "always";

	/** The default: every request is charged, and no outcome resets the bucket. */
	public static final ChargePolicy STANDARD = new ChargePolicy(List.of(), List.of());

	/**
	 * Creates a policy.
	 * @throws IllegalArgumentException if a failed authentication resets the bucket, or
	 * an outcome is in both lists
	 */
	public ChargePolicy {
		chargeOn = List.copyOf(chargeOn);
		resetOn = List.copyOf(resetOn);
		if (resetOn.contains(AuthenticationResult.FAILURE)) {
			throw new IllegalArgumentException(
					"reset-on must not be " + AuthenticationResult.FAILURE + ", because guessing would cost nothing");
		}
		for (OutcomeCondition reset : resetOn) {
			for (OutcomeCondition charged : chargeOn) {
				if (reset.overlaps(charged)) {
					throw new IllegalArgumentException(
							"charge-on and reset-on must not overlap: charge-on " + charged + ", reset-on " + reset);
				}
			}
		}
	}

	@Override
	public void check(RuleLimits limits) {
		limits.requireConsumedPermits(this.chargeOn.isEmpty() ? "reset-on" : "charge-on");
	}

	/** Any change may charge more requests or keep more charges. */
	@Override
	public boolean mayRejectMore(@Nullable OptionValue before, @Nullable OptionValue after) {
		return true;
	}

	@Override
	public boolean appliesToDerived() {
		return true;
	}

	/**
	 * Whether the charge of a request is kept. It is kept if the status may hide the
	 * result: otherwise a client could avoid the charge by closing the connection, or by
	 * not accepting the response.
	 * @param outcome the outcome of the request
	 * @return whether the charge is kept
	 */
	boolean charges(RequestOutcome outcome) {
		return this.chargeOn.isEmpty() || isHidden(outcome) || happened(this.chargeOn, outcome);
	}

	/**
	 * Whether the status of a request resets the bucket, provided that the rule's paths
	 * select the handler of the request.
	 * @param outcome the outcome of the request
	 * @return whether the bucket is reset
	 */
	boolean resetsByStatus(RequestOutcome outcome) {
		return mayReset(outcome) && !outcome.has(Event.HANDLER_UNMAPPED) && this.resetOn.stream()
			.anyMatch((condition) -> condition instanceof StatusRange && condition.isIn(outcome));
	}

	/**
	 * Whether an authentication within a request resets the bucket, provided that the
	 * bucket belongs to an account that has authenticated. A request whose response is an
	 * error does not reset it.
	 * @param outcome the outcome of the request
	 * @return whether the bucket is reset
	 */
	boolean resetsBySuccess(RequestOutcome outcome) {
		return mayReset(outcome) && outcome.status() < 400 && hasSuccessReset()
				&& AuthenticationResult.SUCCESS.isIn(outcome);
	}

	/**
	 * Whether nothing has failed in a request. Failures take precedence over every
	 * success in the same request. They are an exception, a failed authentication, and
	 * any outcome for which the rule keeps the charge.
	 */
	private boolean mayReset(RequestOutcome outcome) {
		return !isHidden(outcome) && !outcome.has(Event.FAILED) && !outcome.has(Event.AUTHENTICATION_FAILED)
				&& !happened(this.chargeOn, outcome);
	}

	/**
	 * Whether the status may hide the result. A client can cause this on purpose.
	 */
	private static boolean isHidden(RequestOutcome outcome) {
		return outcome.has(Event.STATUS_HIDDEN) || outcome.status() == NOT_ACCEPTABLE;
	}

	/**
	 * Whether a successful authentication resets the bucket.
	 * @return whether it is one of the values of {@code reset-on}
	 */
	boolean hasSuccessReset() {
		return this.resetOn.contains(AuthenticationResult.SUCCESS);
	}

	/**
	 * Whether any status resets the bucket.
	 * @return whether one of the values of {@code reset-on} is a status
	 */
	public boolean hasStatusReset() {
		return this.resetOn.stream().anyMatch(StatusRange.class::isInstance);
	}

	/**
	 * Whether the policy depends on authentications.
	 * @return whether one of its values is an authentication result
	 */
	public boolean waitsForAuthentication() {
		return this.chargeOn.stream().anyMatch(AuthenticationResult.class::isInstance)
				|| this.resetOn.stream().anyMatch(AuthenticationResult.class::isInstance);
	}

	private static boolean happened(List<OutcomeCondition> conditions, RequestOutcome outcome) {
		return conditions.stream().anyMatch((condition) -> condition.isIn(outcome));
	}

}
