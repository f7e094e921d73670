package io.tierlimit.store.shard;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;

/**
 * A limit that is divided over the shards of a bucket. The division is exact: the rates
 * and the bursts of the shards add up to the rate and the burst of the limit.
 *
 * @param limit the limit of the bucket
 * @param shards the limits of the shards; if they differ, the larger ones are first
 */
public record LimitDivision(Limit limit, List<Limit> shards) {

	/**
	 * Divides a limit.
	 * @param limit a token bucket or a fixed window
	 * @param count the number of shards, 1 or more
	 * @param windowSeed the number of the bucket from which the start of its windows is
	 * derived, so that the windows of all shards start at the same time
	 * @return the division
	 * @throws IllegalArgumentException if the limit cannot be divided over this number of
	 * shards
	 */
	public static LimitDivision of(Limit limit, int count, long windowSeed) {
		if (count == 1) {
			return new LimitDivision(limit, List.of(limit));
		}
		if (!isDivisible(limit)) {
			throw new IllegalArgumentException("shards are not supported by "
					+ limit.algorithm().name().toLowerCase(Locale.ROOT).replace('_', '-'));
		}
		if (permitsToDivide(limit) < count) {
			throw new IllegalArgumentException("shards must be at most " + permitsToDivide(limit)
					+ ", so that each shard has a permit (was " + count + ")");
		}
		if (count > mostByTime(limit)) {
			throw new IllegalArgumentException(
					"shards must be fewer, because a shard needs " + count + " times the period of " + limit.rate()
							+ ", at most " + Rate.MAX_PERIOD.toDays() + " days (was " + count + ")");
		}
		List<Limit> shards = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			shards.add((limit instanceof FixedWindow window) ? shard(window, i, count, windowSeed)
					: shard((TokenBucket) limit, i, count));
		}
		return new LimitDivision(limit, List.copyOf(shards));
	}

	private static boolean isDivisible(Limit limit) {
		return limit instanceof TokenBucket || limit instanceof FixedWindow;
	}

	/** The permits of which each shard needs at least one. */
	private static long permitsToDivide(Limit limit) {
		return (limit instanceof FixedWindow) ? limit.rate().permits() : limit.capacity();
	}

	/** The number of shards whose period and time to fill are not too long. */
	private static long mostByTime(Limit limit) {
		return (limit instanceof TokenBucket)
				? Rate.MAX_PERIOD.toNanos() / 1000 / Math.max(limit.timeToFull() + 1, limit.rate().periodTicks())
				: Long.MAX_VALUE;
	}

	private static Limit shard(TokenBucket bucket, int index, int count) {
		Rate rate = bucket.rate();
		return new TokenBucket(new Rate(rate.permits(), rate.periodTicks() * count),
				part(bucket.burst(), index, count));
	}

	private static Limit shard(FixedWindow window, int index, int count, long windowSeed) {
		Rate rate = new Rate(part(window.rate().permits(), index, count), window.rate().periodTicks());
		return new FixedWindow(rate, part(window.burst(), index, count),
				Duration.of(window.phase(windowSeed), ChronoUnit.MICROS));
	}

	private static long part(long permits, int index, int count) {
		return permits / count + ((index < permits % count) ? 1 : 0);
	}

	/**
	 * Divides a limit over as many shards as possible: a limit that an option has changed
	 * may have fewer permits than shards.
	 * @param limit any limit
	 * @param most the maximum number of shards
	 * @param windowSeed as in {@link #of}
	 * @return the division; a limit that cannot be divided has one shard
	 */
	static LimitDivision upTo(Limit limit, int most, long windowSeed) {
		int possible = isDivisible(limit)
				? (int) Math.max(1, Math.min(most, Math.min(permitsToDivide(limit), mostByTime(limit)))) : 1;
		for (int count = possible; count > 1; count--) {
			try {
				return of(limit, count, windowSeed);
			}
			catch (IllegalArgumentException ex) {
				// The burst of the largest shard takes too long to refill.
			}
		}
		return of(limit, 1, windowSeed);
	}

	/** The number of shards. */
	int size() {
		return this.shards.size();
	}

	/** The burst of the smallest shard. */
	long burst() {
		return this.shards.get(size() - 1).capacity();
	}

}
