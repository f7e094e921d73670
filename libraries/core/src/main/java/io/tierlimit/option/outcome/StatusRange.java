package io.tierlimit.option.outcome;

import java.util.regex.Pattern;

import io.tierlimit.rule.RequestOutcome;

/**
 * A response status, or a class of statuses.
 *
 * @param first the first status
 * @param last the last status
 */
public record StatusRange(int first, int last) implements OutcomeCondition {

	private static final Pattern STATUS = Pattern.compile("[1-5][0-9]{2}");

	private static final Pattern FAMILY = Pattern.compile("[1-5]xx");

	/**
	 * Creates a range.
	 * @throws IllegalArgumentException if a status is not valid
	 */
	public StatusRange {
		if (first < 100 || last > 599 || first > last) {
			throw new IllegalArgumentException("a status must be from 100 to 599 (was " + first + " to " + last + ")");
		}
	}

	static StatusRange parse(String word) {
		if (STATUS.matcher(word).matches()) {
			int status = Integer.parseInt(word);
			return new StatusRange(status, status);
		}
		if (FAMILY.matcher(word).matches()) {
			int first = (word.charAt(0) - '0') * 100;
			return new StatusRange(first, first + 99);
		}
		throw new IllegalArgumentException(
				"an outcome must be a status such as 401, a status class such as 5xx, or the result of an authentication (was '"
						+ word + "')");
	}

	@Override
	public boolean isIn(RequestOutcome outcome) {
		return this.first <= outcome.status() && outcome.status() <= this.last;
	}

	@Override
	public boolean overlaps(OutcomeCondition other) {
		return other instanceof StatusRange status && this.first <= status.last && status.first <= this.last;
	}

	/**
	 * The value in the configuration.
	 */
	@Override
	public String toString() {
		if (this.first == this.last) {
			return Integer.toString(this.first);
		}
		boolean family = this.first % 100 == 0 && this.last == this.first + 99;
		return family ? (this.first / 100) + "xx" : this.first + "-" + this.last;
	}

}
