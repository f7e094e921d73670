package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.tierlimit.store.Waits;

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
	 * Gives back what can still be given back: all of it, but for what others have
	 * reserved since, who count on it, and whose that stays even if they cancel
	 * afterwards: of several reservations the latest is to be canceled first. Done once,
	 * whoever calls; to be called by those who don't act.
	 */
	public void cancel() {
		if (this.canceled.compareAndSet(false, true)) {
			this.evaluator.giveBack(this.verdict, new Waits());
		}
	}

}
