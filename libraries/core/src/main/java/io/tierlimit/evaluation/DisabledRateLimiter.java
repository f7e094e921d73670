package io.tierlimit.evaluation;

import java.time.Duration;

import io.tierlimit.EstimatedCost;
import io.tierlimit.Hold;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.Reservation;
import io.tierlimit.Verdict;

/**
 * Allows every request, even for rules that do not exist. Replaces the limiter if
 * Tierlimit is disabled.
 */
public final class DisabledRateLimiter implements RateLimiter {

	static final Nothing NOTHING = new Nothing();

	@Override
	public Verdict acquire(PermitRequest... requests) {
		return Verdict.UNLIMITED;
	}

	@Override
	public Verdict tryAcquire(PermitRequest... requests) {
		return Verdict.UNLIMITED;
	}

	@Override
	public Verdict await(PermitRequest... requests) {
		return Verdict.UNLIMITED;
	}

	@Override
	public Reservation reserve(PermitRequest... requests) {
		return NOTHING;
	}

	@Override
	public Hold hold(PermitRequest... requests) {
		return NOTHING;
	}

	@Override
	public Verdict peek(PermitRequest... requests) {
		return Verdict.UNLIMITED;
	}

	@Override
	public void refund(PermitRequest... requests) {
	}

	@Override
	public void refund(Verdict verdict) {
	}

	@Override
	public EstimatedCost estimatedCost(String rule) {
		return NOTHING;
	}

	@Override
	public EstimatedCost estimatedCost(Verdict verdict, String rule) {
		return NOTHING;
	}

	@Override
	public void syncRemaining(PermitRequest request, long remaining, Duration wait) {
	}

	@Override
	public boolean reset(PermitRequest... requests) {
		return true;
	}

	@Override
	public boolean resetAll(String rule) {
		return true;
	}

	/**
	 * The result of a request that charges nothing.
	 */
	record Nothing() implements Reservation, Hold, EstimatedCost {

		@Override
		public Duration delay() {
			return Duration.ZERO;
		}

		@Override
		public Verdict verdict() {
			return Verdict.UNLIMITED;
		}

		@Override
		public void cancel() {
		}

		@Override
		public void close() {
		}

		@Override
		public boolean meter(long total) {
			return false;
		}

		@Override
		public boolean settle(long actual) {
			return false;
		}

	}

}
