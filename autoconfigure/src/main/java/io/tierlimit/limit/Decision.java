package io.tierlimit.limit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * The decision on one charge. Ticks are microseconds from the moment of the decision.
 *
 * @param allowed whether this bucket had enough permits, or they could be reserved
 * @param remaining whole permits left, after the charge if it was acquired; never
 * negative
 * @param retryAfterTicks ticks until a request of the same cost is allowed if no other
 * request consumes permits meanwhile; 0 if this one is allowed, {@link #NEVER} if its
 * cost can never be covered
 * @param nextPermitTicks ticks until there is one whole permit more than
 * {@code remaining}; 0 if the bucket is full
 * @param resetTicks ticks until the bucket is full; 0 if it is
 * @param timeToActTicks ticks until reserved permits are earned: an allowed request has
 * to wait so long; 0 if there were enough permits
 */
public record Decision(boolean allowed, long remaining, long retryAfterTicks, long nextPermitTicks, long resetTicks,
		long timeToActTicks) {

	/** The wait of a request that can never be allowed. */
	public static final long NEVER = Long.MAX_VALUE;

	/**
	 * Creates a decision without a reservation.
	 * @param allowed whether this bucket had enough permits
	 * @param remaining whole permits left, after the charge if it was acquired
	 * @param retryAfterTicks ticks until a request of the same cost is allowed
	 * @param nextPermitTicks ticks until there is one whole permit more
	 * @param resetTicks ticks until the bucket is full
	 */
	public Decision(boolean allowed, long remaining, long retryAfterTicks, long nextPermitTicks, long resetTicks) {
		this(allowed, remaining, retryAfterTicks, nextPermitTicks, resetTicks, 0);
	}

	/**
	 * The same decision after a wait: the times until more permits are shorter.
	 * @param ticks the wait
	 * @return the decision as of that moment, with the same number of remaining permits,
	 * which may be less than there are
	 */
	public Decision after(long ticks) {
		return new Decision(this.allowed, this.remaining, later(this.retryAfterTicks, ticks),
				later(this.nextPermitTicks, ticks), later(this.resetTicks, ticks), this.timeToActTicks);
	}

	private static long later(long wait, long ticks) {
		return (wait == 0 || wait == NEVER) ? wait : Math.max(1, wait - ticks);
	}

	/**
	 * Whether a request of this cost can never be allowed.
	 * @return whether it is useless to wait
	 */
	public boolean neverAllowed() {
		return this.retryAfterTicks == NEVER;
	}

	/**
	 * Time until a request of the same cost is allowed; zero if this one is. Never
	 * negative.
	 * @return the exact wait, or {@code null} if it can never be allowed
	 */
	public @Nullable Duration retryAfter() {
		return neverAllowed() ? null : Duration.of(this.retryAfterTicks, ChronoUnit.MICROS);
	}

	/**
	 * Time until there is one whole permit more; zero if the bucket is full.
	 * @return the exact time
	 */
	public Duration nextPermitAfter() {
		return Duration.of(this.nextPermitTicks, ChronoUnit.MICROS);
	}

	/**
	 * Time until the bucket is full; zero if it is.
	 * @return the exact time
	 */
	public Duration resetAfter() {
		return Duration.of(this.resetTicks, ChronoUnit.MICROS);
	}

	/**
	 * Time until reserved permits are earned; zero if there were enough permits.
	 * @return the exact time
	 */
	public Duration timeToAct() {
		return Duration.of(this.timeToActTicks, ChronoUnit.MICROS);
	}

}
