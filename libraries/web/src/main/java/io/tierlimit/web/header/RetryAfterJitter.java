package io.tierlimit.web.header;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Spreads the waits of rejected clients, so that the clients of one bucket do not all
 * return at once. It only lengthens waits, so a client that waits as long as the header
 * states is never too early. Each rejection uses one random number.
 */
public final class RetryAfterJitter {

	/** Changes no wait. */
	public static final RetryAfterJitter NONE = new RetryAfterJitter(0, () -> 0);

	private static final Pattern TEXT = Pattern.compile("(\\d{1,3}) ?%");

	private final int percent;

	private final DoubleSupplier random;

	/**
	 * Creates a jitter.
	 * @param percent the maximum increase of a wait, as a percentage: 0 to 100
	 * @param random supplies a number from 0 (inclusive) to 1 (exclusive) per rejection
	 */
	RetryAfterJitter(int percent, DoubleSupplier random) {
		this.percent = percent;
		this.random = random;
	}

	/**
	 * Reads a jitter.
	 * @param text the maximum increase of a wait: a whole percentage, from {@code 0%} to
	 * {@code 100%}
	 * @return the jitter
	 * @throws IllegalArgumentException if the text is not such a percentage
	 */
	public static RetryAfterJitter parse(String text) {
		Matcher matcher = TEXT.matcher(text.strip());
		int percent = matcher.matches() ? Integer.parseInt(matcher.group(1)) : -1;
		if (percent < 0 || percent > 100) {
			throw new IllegalArgumentException(
					"'" + text + "' is not a valid jitter: write a whole percentage from 0% to 100%, such as 10%");
		}
		return new RetryAfterJitter(percent, () -> ThreadLocalRandom.current().nextDouble());
	}

	/**
	 * Chooses the increase for one rejection. All its waits increase by the same
	 * percentage, so that the longest remains the longest.
	 * @return maps a wait in ticks to one that is never shorter
	 */
	LongUnaryOperator next() {
		if (this.percent == 0) {
			return LongUnaryOperator.identity();
		}
		double part = this.random.getAsDouble() * this.percent / 100;
		return (ticks) -> ticks + (long) (ticks * part);
	}

}
