package io.tierlimit.adaptive;

import io.tierlimit.adaptive.RequestHealth.Cohort;

/**
 * A request under an adaptive rule, from its admission to its end. One of the methods
 * must be called once.
 */
public final class RequestInFlight {

	private final RequestHealth health;

	private final Cohort cohort;

	private final long begun;

	RequestInFlight(RequestHealth health, Cohort cohort, long begun) {
		this.health = health;
		this.cohort = cohort;
		this.begun = begun;
	}

	/**
	 * Whether this is a request under the rule of a health.
	 */
	boolean isOf(RequestHealth other) {
		return this.health == other;
	}

	/**
	 * Records that the request has ended.
	 * @param failed whether the server has failed
	 */
	public void end(boolean failed) {
		this.health.end(this.cohort, this.begun, failed);
	}

	/**
	 * Begins another measurement of the request under the same rule.
	 * @return the measurement, whose end must be recorded, too
	 */
	public RequestInFlight again() {
		return this.health.begin();
	}

	/**
	 * Whether another measurement is one under the same rule.
	 * @param other the other measurement
	 * @return whether it is
	 */
	public boolean isLike(RequestInFlight other) {
		return isOf(other.health);
	}

	/**
	 * Records that the measurement ends before the request does: the request was
	 * rejected, is evaluated again, or waits for permits.
	 */
	public void cancel() {
		this.health.cancel(this.cohort);
	}

}
