package io.tierlimit.limit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * The answer for one charge. Ticks are microseconds from the moment of the decision.
 *
 * @param allowed whether this bucket had enough permits, or could have some reserved
 * @param remaining whole permits left, after the charge if it was taken; never negative
 * @param retryAfterTicks ticks until a request of the same cost would pass if nobody else
 * consumes meanwhile; 0 if this one did, {@link #NEVER} if its cost is above all that
 * there can be
 * @param nextPermitTicks ticks until there is one whole permit more than
 * {@code remaining}; 0 if the bucket is full
 * @param resetTicks ticks until the bucket is full; 0 if it is
 * @param timeToActTicks ticks until what was reserved has come: whoever was allowed has
 * to wait so long; 0 if there was enough
 */
public record Decision(boolean allowed, long remaining, long retryAfterTicks, long nextPermitTicks, long resetTicks,
		long timeToActTicks) {

	/** The wait for what can never pass. */
	public static final long NEVER = Long.MAX_VALUE;

	/**
	 * Creates a decision on what was paid at once, or rejected.
	 * @param allowed whether this bucket had enough permits
	 * @param remaining whole permits left, after the charge if it was taken
	 * @param retryAfterTicks ticks until a request of the same cost would pass
	 * @param nextPermitTicks ticks until there is one whole permit more
	 * @param resetTicks ticks until the bucket is full
	 */
	public Decision(boolean allowed, long remaining, long retryAfterTicks, long nextPermitTicks, long resetTicks) {
		this(allowed, remaining, retryAfterTicks, nextPermitTicks, resetTicks, 0);
	}

	/**
	 * The same answer for whoever has waited since: what was to come is nearer.
	 * @param ticks how long
	 * @return the answer as of that moment, with the same permits left, which may be some
	 * less than there are
	 */
	public Decision after(long ticks) {
		return new Decision(this.allowed, this.remaining, later(this.retryAfterTicks, ticks),
				later(this.nextPermitTicks, ticks), later(this.resetTicks, ticks), this.timeToActTicks);
	}

	private static long later(long wait, long ticks) {
		return (wait == 0 || wait == NEVER) ? wait : Math.max(1, wait - ticks);
	}

	/**
	 * Whether a request of this cost can never pass, because it is above all that there
	 * can be.
	 * @return whether waiting is in vain
	 */
	public boolean neverPasses() {
		return this.retryAfterTicks == NEVER;
	}

	/**
	 * Time until a request of the same cost would pass; zero if this one did. Never
	 * negative.
	 * @return the exact wait, or {@code null} if it would never
	 */
	public @Nullable Duration retryAfter() {
		return neverPasses() ? null : Duration.of(this.retryAfterTicks, ChronoUnit.MICROS);
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
	 * Time until what was reserved has come; zero if there was enough.
	 * @return the exact time
	 */
	public Duration timeToAct() {
		return Duration.of(this.timeToActTicks, ChronoUnit.MICROS);
	}

}
