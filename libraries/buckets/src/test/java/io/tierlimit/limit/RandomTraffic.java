package io.tierlimit.limit;

import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;

/**
 * Random limits, costs and times, including extreme values. The same seed produces the
 * same traffic.
 */
final class RandomTraffic {

	private static final long YEAR = new Rate(1, Duration.ofDays(365)).periodTicks();

	private static final long LONGEST = new Rate(1, Rate.MAX_PERIOD).periodTicks();

	private static final Duration TICK = Duration.of(1, ChronoUnit.MICROS);

	private static final List<Rate> RATES = List.of(Rate.parse("3/s"), Rate.parse("7/m"), Rate.parse("1/3h"),
			Rate.parse("50000/s"), Rate.parse("1000000/m"), Rate.parse("1000/15m"), new Rate(1, TICK),
			new Rate(Rate.MAX_PERMITS, TICK), new Rate(1, Rate.MAX_PERIOD), new Rate(Rate.MAX_PERMITS, Rate.MAX_PERIOD),
			new Rate(Rate.MAX_PERMITS - 11, Rate.MAX_PERIOD.minus(TICK)));

	private final Random random;

	private long now = 1_700_000_000_000_000L;

	RandomTraffic(int seed) {
		this.random = new Random(seed);
	}

	boolean oneIn(int count) {
		return this.random.nextInt(count) == 0;
	}

	TokenBucket limit() {
		Rate rate = oneIn(2) ? RATES.get(this.random.nextInt(RATES.size()))
				: new Rate(magnitude(Rate.MAX_PERMITS), Duration.of(magnitude(LONGEST), ChronoUnit.MICROS));
		long burst = switch (this.random.nextInt(3)) {
			case 0 -> magnitude(rate.permits());
			case 1 -> rate.permits();
			default -> rate.permits() + magnitude(10 * rate.permits());
		};
		return new TokenBucket(rate, Math.min(burst, mostBurst(rate)));
	}

	FixedWindow window() {
		while (true) {
			Rate rate = oneIn(2) ? RATES.get(this.random.nextInt(RATES.size()))
					: new Rate(magnitude(Rate.MAX_PERMITS), Duration.of(magnitude(LONGEST), ChronoUnit.MICROS));
			Duration start = oneIn(3) ? null : Duration.of(this.random.nextLong(rate.periodTicks()), ChronoUnit.MICROS);
			try {
				return new FixedWindow(rate,
						oneIn(3) ? rate.permits() : rate.permits() + magnitude(10 * rate.permits()), start);
			}
			catch (IllegalArgumentException ex) {
				// The burst takes too long to be issued: try another limit.
			}
		}
	}

	/** The same capacity unless it is the rate's own, and more permits per period. */
	static Limit faster(Limit limit) {
		Rate rate = new Rate(Math.min(Rate.MAX_PERMITS, 10 * limit.rate().permits()), limit.rate().period());
		if (limit instanceof TokenBucket bucket) {
			return new TokenBucket(rate, bucket.burst());
		}
		if (limit instanceof FixedWindow window) {
			return new FixedWindow(rate, Math.max(rate.permits(), window.capacity()), window.start());
		}
		if (limit instanceof SlidingLog) {
			return new SlidingLog(new Rate(Math.min(SlidingLog.MAX_PERMITS, rate.permits()), rate.period()));
		}
		return (limit instanceof SlidingWindow) ? new SlidingWindow(rate) : new LeakyBucket(rate);
	}

	LeakyBucket leaky() {
		return new LeakyBucket(limit().rate());
	}

	SlidingWindow sliding() {
		while (true) {
			Rate rate = oneIn(2) ? RATES.get(this.random.nextInt(RATES.size()))
					: new Rate(magnitude(Rate.MAX_PERMITS), Duration.of(magnitude(LONGEST), ChronoUnit.MICROS));
			if (rate.periodTicks() <= LONGEST / 2) {
				return new SlidingWindow(rate);
			}
		}
	}

	SlidingLog log() {
		return new SlidingLog(new Rate(magnitude(oneIn(5) ? SlidingLog.MAX_PERMITS : 20),
				Duration.of(magnitude(oneIn(5) ? LONGEST : 10_000_000), ChronoUnit.MICROS)));
	}

	/** Permits of a magnitude like the limit's, or a time, or both. */
	Overdraft overdraft(Limit limit) {
		long permits = Math.min(Rate.MAX_PERMITS, magnitude(2 * limit.capacity()));
		long ticks = Math.min(LONGEST, magnitude(2 * limit.timeToFull()));
		return switch (this.random.nextInt(4)) {
			case 0 -> Overdraft.ofTicks(ticks);
			case 1 -> new Overdraft(permits, ticks);
			default -> Overdraft.ofPermits(permits);
		};
	}

	/** A time: later, the same, earlier, or a year later. */
	long moment(Limit limit) {
		this.now += switch (this.random.nextInt(100)) {
			case 0 -> YEAR;
			case 1, 2, 3, 4, 5, 6, 7 -> -magnitude(2 * limit.timeToFull());
			case 8, 9, 10, 11, 12, 13, 14, 15 -> 0;
			case 16, 17, 18, 19 -> 1;
			default -> magnitude(Math.max(2, limit.timeToFull()));
		};
		return this.now;
	}

	/** A time that is not before any earlier result. */
	long laterMoment(Limit limit, long earliest) {
		this.now = Math.max(this.now, earliest) + (oneIn(10) ? 0 : magnitude(Math.max(2, limit.timeToFull())));
		return this.now;
	}

	/** A cost that fits, all remaining permits, 0, or a cost above the capacity. */
	long cost(Limit limit, BucketState state) {
		return switch (this.random.nextInt(10)) {
			case 0 -> 0;
			case 1 -> limit.capacity() + magnitude(limit.capacity());
			case 2 -> limit.remaining(state, this.now);
			case 3 -> limit.remaining(state, this.now) + 1;
			case 4 -> 1;
			default -> magnitude(limit.capacity());
		};
	}

	/** A number from 1 to the bound. All orders of magnitude are equally likely. */
	long magnitude(long bound) {
		int bits = this.random.nextInt(64 - Long.numberOfLeadingZeros(bound)) + 1;
		return Math.min(bound, 1 + this.random.nextLong(1L << bits));
	}

	private static long mostBurst(Rate rate) {
		return BigInteger.valueOf(LONGEST)
			.multiply(BigInteger.valueOf(rate.permits()))
			.divide(BigInteger.valueOf(rate.periodTicks()))
			.min(BigInteger.valueOf(Rate.MAX_PERMITS))
			.longValueExact();
	}

}
