package io.tierlimit.limit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * At most a number of permits in use at the same time. A charge holds its permits until
 * it is refunded with its receipt. A holder that is never refunded ends after the maximum
 * duration, so its permits are not lost.
 * <p>
 * The time until a permit becomes available is not known, because it depends on the
 * holders. A rejection therefore has no wait, except for a hint that the limit may have.
 * The times of a decision are upper bounds: while permits are in use, the maximum
 * duration.
 *
 * @param rate the permits, 1,000 at most, and the maximum duration as their period. If no
 * holder releases its permits, the bucket has this rate
 * @param retryHintTicks the wait of rejected requests in ticks; 0 if it is unknown
 */
public record Concurrency(Rate rate, long retryHintTicks) implements Limit {

	/** The maximum permits of such a limit. */
	public static final long MAX_PERMITS = 1000;

	/** The shortest maximum duration: shorter work needs no bound on its duration. */
	public static final Duration MIN_DURATION = Duration.ofSeconds(1);

	/** The longest maximum duration. */
	public static final Duration MAX_DURATION = Duration.ofDays(7);

	/**
	 * Creates a limit.
	 * @throws IllegalArgumentException if a number is out of range
	 */
	public Concurrency {
		if (rate.permits() > MAX_PERMITS) {
			throw new IllegalArgumentException(
					"limit must be 1 to " + MAX_PERMITS + " permits in use (was " + rate.permits() + ")");
		}
		if (rate.period().compareTo(MIN_DURATION) < 0 || rate.period().compareTo(MAX_DURATION) > 0) {
			throw new IllegalArgumentException("max-duration must be from " + Rate.text(MIN_DURATION) + " to "
					+ Rate.text(MAX_DURATION) + " (was " + rate.period() + ")");
		}
		if (retryHintTicks < 0 || retryHintTicks > Rate.MAX_TICKS) {
			throw new IllegalArgumentException("retry-after-hint must be from 0s to " + Rate.MAX_PERIOD.toDays()
					+ "d (was " + Duration.of(retryHintTicks, ChronoUnit.MICROS) + ")");
		}
	}

	/**
	 * Creates a limit without a hint.
	 * @param permits the permits that can be in use at the same time: 1 to 1,000
	 * @param maxDuration the longest time for which permits can be held: 1 second to 7
	 * days
	 * @return the limit
	 * @throws IllegalArgumentException if a number is out of range
	 */
	public static Concurrency of(long permits, Duration maxDuration) {
		if (permits < 1) {
			throw new IllegalArgumentException(
					"limit must be 1 to " + MAX_PERMITS + " permits in use (was " + permits + ")");
		}
		return new Concurrency(new Rate(permits, maxDuration), 0);
	}

	/**
	 * Returns the same limit with another hint.
	 * @param hint the wait of rejected requests; zero if it is unknown
	 * @return the limit
	 * @throws IllegalArgumentException if the hint is out of range
	 */
	public Concurrency retryHint(Duration hint) {
		return new Concurrency(this.rate, TimeUnit.MICROSECONDS.convert(hint));
	}

	/**
	 * The longest time for which permits can be held.
	 * @return the time
	 */
	public Duration maxDuration() {
		return this.rate.period();
	}

	/**
	 * The wait of rejected requests.
	 * @return the wait; zero if it is unknown
	 */
	public Duration retryHint() {
		return Duration.of(this.retryHintTicks, ChronoUnit.MICROS);
	}

	/** The maximum duration does not matter, because requests usually end earlier. */
	@Override
	public boolean isLowerThan(Limit other) {
		return !(other instanceof Concurrency) || capacity() < other.capacity();
	}

	@Override
	public Algorithm algorithm() {
		return Algorithm.CONCURRENCY;
	}

	@Override
	public long remaining(BucketState state, long now) {
		return Math.max(0, capacity() - inUse(state, now));
	}

	/**
	 * The permits in use. A state without holders may contain their sum only, because a
	 * store has the holders elsewhere.
	 */
	private static long inUse(BucketState state, long now) {
		if (state.algorithm() != Algorithm.CONCURRENCY) {
			return 0;
		}
		Holders holders = state.holders();
		return (holders != null) ? holders.inUse(now) : state.consumed;
	}

	@Override
	public Decision acquire(BucketState state, long cost, Overdraft overdraft, long now) {
		if (!allows(state, cost, overdraft, now)) {
			return inspect(state, cost, overdraft, now);
		}
		long inUse = inUse(state, now);
		Holders holders = holders(state);
		if (holders == null && inUse > 0) {
			state.consumed = inUse + cost;
			return inspect(state, 0, overdraft, now);
		}
		holders = (holders != null) ? holders : new Holders();
		state.write(this, 0, 0, 0, now);
		holders.removeEnded(now);
		state.setHolders(holders);
		if (inUse == 0) {
			state.startCount(now);
		}
		state.count(cost);
		if (cost > 0) {
			holders.add(new Holder(state.receipt().charged(), now, now + this.rate.periodTicks(), cost));
		}
		return inspect(state, 0, overdraft, now);
	}

	private static @Nullable Holders holders(BucketState state) {
		return (state.algorithm() == Algorithm.CONCURRENCY) ? state.holders() : null;
	}

	@Override
	public Decision inspect(BucketState state, long cost, Overdraft overdraft, long now) {
		long remaining = remaining(state, now);
		long most = (inUse(state, now) > 0) ? timeToFull() : 0;
		return new Decision(cost == 0 || cost <= remaining, remaining, retryAfter(cost), most, most);
	}

	private long retryAfter(long cost) {
		if (cost > capacity()) {
			return Decision.NEVER;
		}
		return (this.retryHintTicks > 0) ? this.retryHintTicks : Decision.UNKNOWN;
	}

	/**
	 * Releases permits of the holder that the receipt belongs to. Without a receipt,
	 * nothing is released, because the holder is not known.
	 */
	@Override
	public void refund(BucketState state, long cost, @Nullable Receipt receipt, long now) {
		Holders holders = holders(state);
		if (receipt != null && holders != null && state.counts(receipt)) {
			holders.release(receipt.charged(), cost, now);
		}
	}

	/**
	 * The holders of a bucket's permits.
	 * @param state the bucket; not changed
	 * @param now the current time in ticks
	 * @return the holders that have not ended, in the order in which they have acquired
	 * their permits; empty if another algorithm has written the state
	 */
	public static List<Holder> holders(BucketState state, long now) {
		Holders holders = holders(state);
		return (holders != null) ? holders.at(now) : List.of();
	}

	/**
	 * Releases all permits of a holder.
	 * @param state the bucket; changed
	 * @param id the id of the holder
	 * @param now the current time in ticks
	 * @return whether the bucket had this holder
	 */
	public static boolean release(BucketState state, long id, long now) {
		Holders holders = holders(state);
		return holders != null && holders.release(id, Long.MAX_VALUE, now);
	}

	/**
	 * Moves holders that end later to a given end.
	 * @param state the bucket; changed
	 * @param end the latest end in ticks
	 */
	public static void endBy(BucketState state, long end) {
		Holders holders = holders(state);
		if (holders != null) {
			holders.endBy(end);
		}
	}

	/** Each instance has at least one permit. */
	@Override
	public Concurrency scale(BigDecimal fraction, long atLeast) {
		long part = fraction.multiply(BigDecimal.valueOf(capacity())).setScale(0, RoundingMode.DOWN).longValueExact();
		long permits = Math.max(Math.max(1, part), Math.min(atLeast, capacity()));
		return new Concurrency(new Rate(permits, this.rate.periodTicks()), this.retryHintTicks);
	}

}
