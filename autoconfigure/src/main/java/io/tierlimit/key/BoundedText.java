package io.tierlimit.key;

import io.tierlimit.spi.InvalidFactException;

/**
 * A text that a regular expression can read at most a million characters of, including
 * those that it reads again. Without a bound, a pattern such as {@code (a+)+b} may read
 * the same characters an exponential number of times. SpEL's operator {@code matches} has
 * the same bound.
 */
record BoundedText(String text, Reads reads) implements CharSequence {

	@Override
	public int length() {
		return this.text.length();
	}

	@Override
	public char charAt(int index) {
		this.reads.add(1);
		return this.text.charAt(index);
	}

	@Override
	public CharSequence subSequence(int start, int end) {
		this.reads.add(end - start);
		return new BoundedText(this.text.substring(start, end), this.reads);
	}

	@Override
	public String toString() {
		return this.text;
	}

	/** Counts the characters that were read. */
	static final class Reads {

		private static final int MAX = 1_000_000;

		private long count;

		private void add(int characters) {
			this.count += characters;
			if (this.count > MAX) {
				throw new InvalidFactException("A regular expression reads more than " + MAX + " characters", null);
			}
		}

	}

}
