package io.tierlimit.limit;

import java.math.BigDecimal;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Permits are issued at the start of each period. Unused permits are saved up to a burst.
 * A new bucket is full.
 * <p>
 * At most the burst is consumed in one window, and at most burst + (n - 1) * permits in
 * any n windows in a row. Windows start at an offset from the epoch. Without an offset,
 * their start is derived from the bucket's key, so that the callers of one limit do not
 * all return at once.
 *
 * @param rate the number of permits that are issued, and the length of a period
 * @param burst the permits that can be saved: the rate's permits or more, up to
 * 10<sup>12</sup>, and issued within 3,650 days
 * @param start the start of windows: an offset from 1970-01-01T00:00Z, shorter than the
 * period, in whole microseconds; {@code null} if each key has its own start
 */
public record FixedWindow(Rate rate, long burst, @Nullable Duration start) implements ReservableLimit {

	/**
	 * Creates a fixed window.
	 * @throws IllegalArgumentException if the burst or start is out of range
	 */
	public FixedWindow {
		if (burst < rate.permits() || burst > Rate.MAX_PERMITS) {
			throw new IllegalArgumentException("burst must be from " + rate.permits() + ", the permits of the rate, to "
					+ Rate.MAX_PERMITS + " permits (was " + burst + ")");
		}
		long windows = ceil(burst, rate.permits());
		if (windows > Rate.MAX_TICKS / rate.periodTicks()) {
			throw new IllegalArgumentException("burst must refill within " + Rate.MAX_PERIOD.toDays() + " days at "
					+ rate + " (was " + burst + ")");
		}
		if (start != null && (start.isNegative() || start.compareTo(rate.period()) >= 0)) {
			throw new IllegalArgumentException(
					"window.start must be at least 0 and shorter than the period of the rate, " + rate + " (was "
							+ start + ")");
		}
		if (start != null && start.toNanos() % 1000 != 0) {
			throw new IllegalArgumentException(
					"window.start must be a whole number of microseconds (was " + start + ")");
		}
	}

	/**
	 * Creates a fixed window that saves no unused permits; each key has its own start.
	 * @param rate the number of permits that are issued, and the length of a period
	 */
	public FixedWindow(Rate rate) {
		this(rate, rate.permits(), null);
	}

	@Override
	public Algorithm algorithm() {
		return Algorithm.FIXED_WINDOW;
	}

	@Override
	public long capacity() {
		return this.burst;
	}

	@Override
	public long timeToFull() {
		return windowsFor(this.burst) * this.rate.periodTicks();
	}

	@Override
	public long quota() {
		return this.rate.permits();
	}

	@Override
	public FixedWindow scale(BigDecimal fraction, long atLeast) {
		BigDecimal issued = fraction.multiply(BigDecimal.valueOf(this.rate.permits()));
		long share = fraction.multiply(BigDecimal.valueOf(this.burst)).longValue();
		long saved = Math.max(1, Math.max(share, Math.min(atLeast, this.burst)));
		long permits = Math.max(Math.max(1, issued.longValue()), ceil(saved, Rate.MAX_TICKS / this.rate.periodTicks()));
		Rate part = new Rate(permits, this.rate.periodTicks());
		if (issued.compareTo(BigDecimal.ONE) < 0 && permits == 1) {
			// Less than one permit per period becomes one permit in a longer period.
			part = part.slower(issued, Rate.MAX_TICKS / saved);
		}
		return new FixedWindow(part, Math.max(saved, permits), this.start);
	}

	@Override
	public long consumedAt(BucketState state, long now) {
		long consumed = consumedBefore(state);
		if (consumed == 0 || now <= state.updatedAt) {
			return consumed;
		}
		long windows = window(state, now) - window(state, state.updatedAt);
		return (windows >= windowsFor(consumed)) ? 0 : consumed - windows * this.rate.permits();
	}

	@Override
	public long earnedAt(BucketState state, long consumed, long now) {
		return 0;
	}

	@Override
	public long ticksUntil(long permits, BucketState state, long earned, long now) {
		if (permits == 0) {
			return 0;
		}
		long moment = Math.max(state.updatedAt, now);
		return windowsFor(permits) * this.rate.periodTicks()
				- Math.floorMod(moment - phase(state.windowSeed()), this.rate.periodTicks());
	}

	@Override
	public long leastTicksUntil(long permits) {
		long windows = windowsFor(permits);
		return (windows > Rate.MAX_TICKS / this.rate.periodTicks() + 1) ? Decision.NEVER
				: (windows - 1) * this.rate.periodTicks() + 1;
	}

	@Override
	public Remainder remainder(BucketState state, long cost, long at, long now) {
		long windows = window(state, Math.max(state.updatedAt, now)) - window(state, at);
		return (windows >= windowsFor(cost)) ? Remainder.NONE : new Remainder(cost - windows * this.rate.permits(), 0);
	}

	@Override
	public long maxDebt(long debt) {
		long windows = Rate.MAX_TICKS / this.rate.periodTicks();
		return (windowsFor(debt) <= windows) ? debt : windows * this.rate.permits();
	}

	private static long ceil(long dividend, long divisor) {
		return -Math.floorDiv(-dividend, divisor);
	}

	private long windowsFor(long permits) {
		return ceil(permits, this.rate.permits());
	}

	private long window(BucketState state, long moment) {
		return Math.floorDiv(moment - phase(state.windowSeed()), this.rate.periodTicks());
	}

	@Override
	public long phase(long windowSeed) {
		return (this.start != null) ? this.start.toNanos() / 1000 : Math.floorMod(windowSeed, this.rate.periodTicks());
	}

}
