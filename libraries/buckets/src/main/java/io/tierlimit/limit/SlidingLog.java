package io.tierlimit.limit;

import java.math.BigDecimal;

import org.jspecify.annotations.Nullable;

/**
 * At most the rate's permits in any window (t - period, t]. The limit is exact: every
 * charge is recorded until it is a period old.
 * <p>
 * A bucket grows by 12 bytes per charge (10 bytes in Redis), so the limit must be small.
 * If a rule gets a lower limit, earlier charges remain recorded.
 *
 * @param rate the permits and their period: 1,000 permits at most
 */
public record SlidingLog(Rate rate) implements SlidingLimit {

	/** The maximum permits of such a limit. */
	public static final long MAX_PERMITS = 1000;

	/**
	 * Creates a sliding log.
	 * @throws IllegalArgumentException if the rate has too many permits
	 */
	public SlidingLog {
		if (rate.permits() > MAX_PERMITS) {
			throw new IllegalArgumentException("rate must have at most " + MAX_PERMITS
					+ " permits, because a sliding log has an entry for each; a sliding window supports more (was "
					+ rate + ")");
		}
	}

	@Override
	public Algorithm algorithm() {
		return Algorithm.SLIDING_LOG;
	}

	@Override
	public long remaining(BucketState state, long now) {
		return Math.max(0, capacity() - consumedAt(state, now));
	}

	private long consumedAt(BucketState state, long now) {
		ConsumptionLog log = log(state);
		return (log != null) ? Math.max(0, state.consumed - log.consumedUpTo(expired(state, now))) : 0;
	}

	private static @Nullable ConsumptionLog log(BucketState state) {
		return (state.algorithm() == Algorithm.SLIDING_LOG) ? state.log() : null;
	}

	/** The latest time whose charges have expired. */
	private long expired(BucketState state, long now) {
		return Math.max(state.updatedAt, now) - this.rate.periodTicks();
	}

	@Override
	public long ticksUntil(long cost, BucketState state, long now) {
		long lacking = cost - (capacity() - consumedAt(state, now));
		ConsumptionLog log = log(state);
		if (lacking <= 0 || log == null) {
			return 0;
		}
		long expired = expired(state, now);
		return log.momentOf(lacking, expired) - expired;
	}

	@Override
	public void consume(BucketState state, long cost, long now) {
		ConsumptionLog log = advance(state, now);
		if (state.consumed == 0) {
			state.startCount(now);
		}
		if (cost > 0) {
			state.record(log, cost);
			state.consumed += cost;
		}
		state.count(cost);
	}

	/**
	 * Removes the charge from its own entry, unless the entry has expired. Without a
	 * receipt, the permits that were consumed last are removed.
	 */
	@Override
	public void refund(BucketState state, long cost, @Nullable Receipt receipt, long now) {
		if (receipt == null) {
			ConsumptionLog log = advance(state, now);
			state.consumed -= log.removeLast(cost);
		}
		else if (state.isOfPeriod(this) && state.counts(receipt)) {
			ConsumptionLog log = advance(state, now);
			state.consumed -= log.remove(receipt.at(), cost);
		}
	}

	/** Updates the state to the current time: removes expired entries. */
	private ConsumptionLog advance(BucketState state, long now) {
		ConsumptionLog log = log(state);
		if (log == null) {
			log = new ConsumptionLog();
		}
		long consumed = consumedAt(state, now);
		if (!state.isOfPeriod(this) && consumed > 0) {
			state.voidReceipts(now);
		}
		log.removeUpTo(expired(state, now));
		state.write(this, consumed, 0, 0, now);
		state.setLog(log);
		return log;
	}

	@Override
	public SlidingLog scale(BigDecimal fraction, long atLeast) {
		return new SlidingLog(this.rate.scale(fraction, atLeast));
	}

}
