package io.tierlimit.web.header;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Spreads the waits of rejected clients, so that the clients of one bucket do not all
 * return at once. It only lengthens waits, so a client that waits as long as the header
 * states is never too early. Each rejection uses one random number.
 */
public final class RetryAfterJitter {

	/** A jitter that changes no wait. */
	public static final RetryAfterJitter NONE = new RetryAfterJitter(0, () -> 0);

	private final double share;

	private final DoubleSupplier random;

	/**
	 * Creates a jitter.
	 * @param share the maximum increase of a wait, as a share of the wait: 0 to 1
	 * @param random supplies a number from 0 (inclusive) to 1 (exclusive) per rejection
	 */
	RetryAfterJitter(double share, DoubleSupplier random) {
		if (!(share >= 0 && share <= 1)) {
			throw new IllegalArgumentException("The jitter must be from 0 to 1 (was " + share + ")");
		}
		this.share = share;
		this.random = random;
	}

	/**
	 * Creates a jitter with random numbers.
	 * @param share the maximum increase of a wait, as a share of the wait: 0 to 1
	 * @return the jitter
	 * @throws IllegalArgumentException if the share is not from 0 to 1
	 */
	public static RetryAfterJitter of(double share) {
		return new RetryAfterJitter(share, () -> ThreadLocalRandom.current().nextDouble());
	}

	/**
	 * Chooses the increase for one rejection. All waits of the rejection increase by the
	 * same share, so that the longest wait remains the longest.
	 * @return a function that lengthens a wait in ticks
	 */
	LongUnaryOperator next() {
		if (this.share == 0) {
			return LongUnaryOperator.identity();
		}
		double part = this.random.getAsDouble() * this.share;
		return (ticks) -> ticks + (long) (ticks * part);
	}

}
