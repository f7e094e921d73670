package io.tierlimit.option.adaptive;

import io.tierlimit.option.InFlight;
import io.tierlimit.option.adaptive.RequestHealth.Cohort;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;

/**
 * The measurement of a request under an adaptive rule.
 */
final class RequestInFlight implements InFlight {

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
	 * Whether the request is measured by the given object.
	 */
	boolean isOf(RequestHealth other) {
		return this.health == other;
	}

	@Override
	public void end(RequestOutcome outcome) {
		end(outcome.has(Event.SERVER_FAILED));
	}

	void end(boolean failed) {
		this.health.end(this.cohort, this.begun, this.caller, failed);
	}

	@Override
	public void continueAs(String name) {
		int next = CallerCounts.slot(name);
		this.cohort.begin(next);
		this.cohort.remove(this.caller);
		this.caller = next;
	}

	@Override
	public InFlight again() {
		return this.health.begin(this.caller);
	}

	@Override
	public boolean isLike(InFlight other) {
		return other instanceof RequestInFlight request && request.isOf(this.health);
	}

	@Override
	public void cancel() {
		this.health.cancel(this.cohort, this.caller);
	}

}
