package io.tierlimit.limit;

import java.math.BigDecimal;

import org.jspecify.annotations.Nullable;

/**
 * A number of permits in any period, estimated by two counters: the permits consumed in
 * the present window, plus a part of the permits consumed in the previous window. The
 * part is the share of the previous window that lies in the last period, as if the
 * permits of the previous window were consumed at a constant rate.
 * <p>
 * The estimate is exact if they were consumed at a constant rate. Otherwise, at most
 * permits * (2 - x / period) are consumed in a period that starts x before a window ends.
 * This is always less than twice the permits. Within one of the bucket's own windows, at
 * most the permits are consumed. The start of windows is derived from the bucket's key.
 *
 * @param rate the permits and their period: 1,825 days at most
 */
public record SlidingWindow(Rate rate) implements SlidingLimit {

	/**
	 * Creates a sliding window.
	 * @throws IllegalArgumentException if the period is too long
	 */
	public SlidingWindow {
		if (rate.periodTicks() > Rate.MAX_TICKS / 2) {
			throw new IllegalArgumentException("rate must have a period of at most " + Rate.MAX_PERIOD.toDays() / 2
					+ " days, because a sliding window depends on two periods (was " + rate + ")");
		}
	}

	@Override
	public Algorithm algorithm() {
		return Algorithm.SLIDING_WINDOW;
	}

	@Override
	public long timeToFull() {
		return 2 * this.rate.periodTicks();
	}

	@Override
	public long phase(long windowSeed) {
		return Math.floorMod(windowSeed, this.rate.periodTicks());
	}

	@Override
	public long remaining(BucketState state, long now) {
		long period = this.rate.periodTicks();
		long weighted = WideDivision.ceil(previousAt(state, now), period - elapsed(state, now), 0, period);
		return Math.max(0, capacity() - consumedAt(state, now) - weighted);
	}

	/** Ticks since the start of the present window. */
	private long elapsed(BucketState state, long now) {
		return Math.floorMod(Math.max(state.updatedAt, now) - phase(state.windowSeed()), this.rate.periodTicks());
	}

	/** The number of windows that have started since the last update of the state. */
	private long windowsSince(BucketState state, long now) {
		return (now <= state.updatedAt) ? 0 : window(state, now) - window(state, state.updatedAt);
	}

	private long window(BucketState state, long moment) {
		return Math.floorDiv(moment - phase(state.windowSeed()), this.rate.periodTicks());
	}

	private long consumedAt(BucketState state, long now) {
		return (windowsSince(state, now) == 0) ? consumedBefore(state) : 0;
	}

	private long previousAt(BucketState state, long now) {
		long windows = windowsSince(state, now);
		if (windows == 0) {
			return state.isOfPeriod(this) ? Math.min(state.previous(), capacity()) : 0;
		}
		return (windows == 1) ? consumedBefore(state) : 0;
	}

	/**
	 * The permits consumed in the window of the last update. If windows had another
	 * length then, all counted permits are treated as consumed at the last update.
	 */
	private long consumedBefore(BucketState state) {
		if (!state.isOfAlgorithm(this)) {
			return 0;
		}
		return Math.min(state.isOfPeriod(this) ? state.consumed : state.consumed + state.previous(), capacity());
	}

	@Override
	public long ticksUntil(long cost, BucketState state, long now) {
		long period = this.rate.periodTicks();
		long elapsed = elapsed(state, now);
		long consumed = consumedAt(state, now);
		long previous = previousAt(state, now);
		long room = capacity() - cost - consumed;
		if (room >= 0) {
			return (previous <= room) ? 0 : Math.max(0, fits(room, previous) - elapsed);
		}
		return period - elapsed + fits(capacity() - cost, consumed);
	}

	/**
	 * The elapsed ticks of a window from which the weighted count of the previous window
	 * is at most {@code room}.
	 */
	private long fits(long room, long previous) {
		return this.rate.periodTicks() - WideDivision.floor(room, this.rate.periodTicks(), 0, previous);
	}

	@Override
	public void consume(BucketState state, long cost, long now) {
		long consumed = consumedAt(state, now);
		long previous = previousAt(state, now);
		if (consumed == 0 && previous == 0) {
			state.startCount(now);
		}
		write(state, consumed + cost, previous, now);
		state.count(cost);
	}

	/**
	 * Refunds the charge from the counter of its own window. Without a receipt, the
	 * permits are refunded from the present window first.
	 */
	@Override
	public void refund(BucketState state, long cost, @Nullable Receipt receipt, long now) {
		long consumed = consumedAt(state, now);
		long previous = previousAt(state, now);
		if (receipt == null) {
			long fromPresent = Math.min(consumed, cost);
			write(state, consumed - fromPresent, previous - Math.min(previous, cost - fromPresent), now);
		}
		else if (continues(state) && state.counts(receipt)) {
			long windows = window(state, Math.max(state.updatedAt, now)) - window(state, receipt.at());
			long fromPresent = (windows == 0) ? Math.min(consumed, cost) : 0;
			long fromPrevious = (windows == 1) ? Math.min(previous, cost) : 0;
			write(state, consumed - fromPresent, previous - fromPrevious, now);
		}
	}

	/** Whether the state was written under this limit, as far as its numbers show. */
	private boolean continues(BucketState state) {
		return state.isOfPeriod(this) && state.consumed <= capacity() && state.previous() <= capacity();
	}

	private void write(BucketState state, long consumed, long previous, long now) {
		if (!continues(state) && consumedAt(state, now) + previousAt(state, now) > 0) {
			state.voidReceipts(now);
		}
		state.write(this, consumed, 0, 0, now);
		state.setPrevious(previous);
	}

	@Override
	public SlidingWindow scale(BigDecimal fraction, long atLeast) {
		Rate part = this.rate.scale(fraction, atLeast);
		long period = Math.min(part.periodTicks(), Rate.MAX_TICKS / 2);
		return new SlidingWindow(new Rate(part.permits(), period));
	}

}
