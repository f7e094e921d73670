package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Permits that were reserved, and when whoever did may act. Those who come later wait
 * behind it, however little they ask for. Safe for use by several threads.
 */
public final class Reservation {

	private final RateLimitEvaluator evaluator;

	private final Verdict verdict;

	private final AtomicBoolean canceled = new AtomicBoolean();

	Reservation(RateLimitEvaluator evaluator, Verdict verdict) {
		this.evaluator = evaluator;
		this.verdict = verdict;
	}

	/**
	 * How long to wait before acting: until all that was reserved has come.
	 * @return the time from when it was reserved; zero if there was enough
	 */
	public Duration timeToAct() {
		return this.verdict.timeToAct();
	}

	/**
	 * Every bucket's answer.
	 * @return a verdict that allows
	 */
	public Verdict verdict() {
		return this.verdict;
	}

	/**
	 * Refunds the difference that the reservation still makes, except for permits that
	 * later reservations count on. These are not refunded if the later reservations are
	 * canceled afterwards: of several reservations the latest is to be canceled first.
	 * Further calls do nothing.
	 */
	public void cancel() {
		if (this.canceled.compareAndSet(false, true)) {
			this.evaluator.refund(this.verdict);
		}
	}

}
