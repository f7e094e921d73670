package io.tierlimit.key;

import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.spi.InvalidRequestValueException;

/**
 * A string that limits the work of a regular expression: at most a million characters can
 * be read, including characters that are read again. Without a bound, a pattern such as
 * {@code (a+)+b} may read the same characters an exponential number of times.
 *
 * @param text the string
 * @param reads the number of characters that were read
 */
record BoundedText(String text, AtomicInteger reads) implements CharSequence {

	private static final int MAX_READS = 1_000_000;

	@Override
	public int length() {
		return this.text.length();
	}

	@Override
	public char charAt(int index) {
		if (this.reads.incrementAndGet() > MAX_READS) {
			throw new InvalidRequestValueException("A regular expression reads more than " + MAX_READS + " characters",
					null);
		}
		return this.text.charAt(index);
	}

	@Override
	public CharSequence subSequence(int start, int end) {
		return new BoundedText(this.text.substring(start, end), this.reads);
	}

}
