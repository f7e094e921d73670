package io.tierlimit.adaptive;

import io.tierlimit.adaptive.RequestHealth.Cohort;

/**
 * A request under an adaptive rule, from its admission to its end. Either {@link #end} or
 * {@link #cancel} must be called once. Used by one thread at a time.
 */
public final class RequestInFlight {

	private final RequestHealth health;

	private final Cohort cohort;

	private final long begun;

	private int caller;

	RequestInFlight(RequestHealth health, Cohort cohort, long begun, int caller) {
		this.health = health;
		this.cohort = cohort;
		this.begun = begun;
		this.caller = caller;
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
		this.health.end(this.cohort, this.begun, this.caller, failed);
	}

	/**
	 * Continues as another caller, such as the user whose address began the request.
	 * @param name the name of the caller
	 */
	public void continueAs(String name) {
		int next = CallerCounts.slot(name);
		this.cohort.begin(next);
		this.cohort.remove(this.caller);
		this.caller = next;
	}

	/**
	 * Begins another measurement of the request under the same rule.
	 * @return the measurement, whose end must be recorded, too
	 */
	public RequestInFlight again() {
		return this.health.begin(this.caller);
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
		this.health.cancel(this.cohort, this.caller);
	}

}
