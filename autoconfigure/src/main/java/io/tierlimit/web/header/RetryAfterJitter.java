package io.tierlimit.web.header;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Spreads the waits that refused clients are told, so that they don't all come back at
 * once. Upward only: a wait that is told stays true.
 * <p>
 * Clients of one bucket have all in common, so what tells them apart is the order of
 * their refusals. Each refusal goes on from the one before by the golden ratio, and wraps
 * around: however many there are, their places are spread evenly (a Weyl sequence). What
 * follows is known if the start is, and instances start at random places.
 */
public final class RetryAfterJitter {

	/** Leaves every wait as it is. */
	public static final RetryAfterJitter NONE = new RetryAfterJitter(0, 0);

	private static final Pattern TEXT = Pattern.compile("(\\d{1,3}) ?%");

	/** 2<sup>64</sup> divided by the golden ratio. */
	private static final long STEP = 0x9E3779B97F4A7C15L;

	private final int percent;

	private final AtomicLong place;

	RetryAfterJitter(int percent, long start) {
		this.percent = percent;
		this.place = new AtomicLong(start);
	}

	/**
	 * Reads a jitter.
	 * @param text by how much waits are lengthened at most: a whole percentage of
	 * themselves, from {@code 0%} to {@code 100%}
	 * @return the jitter
	 * @throws IllegalArgumentException if the text is no such percentage
	 */
	public static RetryAfterJitter parse(String text) {
		Matcher matcher = TEXT.matcher(text.strip());
		int percent = matcher.matches() ? Integer.parseInt(matcher.group(1)) : -1;
		if (percent < 0 || percent > 100) {
			throw new IllegalArgumentException(
					"'" + text + "' is no jitter: write a whole percentage from 0% to 100%, such as 10%");
		}
		return (percent == 0) ? NONE : new RetryAfterJitter(percent, new SplittableRandom().nextLong());
	}

	/**
	 * Draws how the waits of one refusal are lengthened: all by the same part, so that
	 * the longest stays the longest.
	 * @return from a wait in ticks to the one to be told, which is never shorter
	 */
	LongUnaryOperator next() {
		if (this.percent == 0) {
			return LongUnaryOperator.identity();
		}
		double part = (this.place.getAndAdd(STEP) >>> 11) * 0x1p-53 * this.percent / 100;
		return (ticks) -> ticks + (long) (ticks * part);
	}

}
