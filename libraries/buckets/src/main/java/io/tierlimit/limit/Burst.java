package io.tierlimit.limit;

import java.math.BigInteger;
import java.time.Duration;

/**
 * The permits that a token bucket or a fixed window can save: a number, or the permits
 * that its rate earns in a given time.
 */
public sealed interface Burst permits Burst.Permits, Burst.Time {

	/**
	 * The burst in permits, rounded down.
	 * @param rate the rate that earns the permits of a time
	 * @return the number of permits
	 * @throws IllegalArgumentException if a time is too short for one permit
	 */
	long at(Rate rate);

	/**
	 * A number of permits.
	 *
	 * @param permits the number; a {@link TokenBucket} accepts 1 or more, and a
	 * {@link FixedWindow} the permits of its rate or more
	 */
	record Permits(long permits) implements Burst {

		@Override
		public long at(Rate rate) {
			return this.permits;
		}

	}

	/**
	 * The permits that a rate earns in a given time.
	 *
	 * @param time the time: more than 0, 3,650 days at most
	 */
	record Time(Duration time) implements Burst {

		/**
		 * Creates a burst.
		 * @throws IllegalArgumentException if the time is out of range
		 */
		public Time {
			if (time.isNegative() || time.isZero() || time.compareTo(Rate.MAX_PERIOD) > 0) {
				throw new IllegalArgumentException("burst must be a time above 0 and up to " + Rate.MAX_PERIOD.toDays()
						+ " days (was " + Rate.text(time) + ")");
			}
		}

		@Override
		public long at(Rate rate) {
			// Rounded down: a part of a permit allows nothing.
			BigInteger earned = BigInteger.valueOf(this.time.toNanos() / 1000)
				.multiply(BigInteger.valueOf(rate.permits()))
				.divide(BigInteger.valueOf(rate.periodTicks()));
			if (earned.signum() == 0) {
				throw new IllegalArgumentException(
						"burst must earn at least 1 permit at " + rate + " (was " + Rate.text(this.time) + ")");
			}
			return earned.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
		}

	}

}
