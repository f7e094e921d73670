package io.tierlimit.rule.reader;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/**
 * A percentage that is written with its sign, such as {@code 5%}. All shares in the
 * configuration have this form. The value {@code 1} is not valid, because it could mean
 * one percent or 100%.
 *
 * @param percent the number before the sign
 */
public record Percentage(BigDecimal percent) {

	private static final Pattern TEXT = Pattern.compile("-?\\d{1,310}(\\.\\d{1,330})? ?%");

	/**
	 * Reads a percentage.
	 * @param property the name of the property
	 * @param text the string, such as {@code 5%} or {@code 0.5 %}
	 * @return the percentage
	 * @throws IllegalArgumentException if the string is not a percentage
	 */
	public static Percentage parse(String property, String text) {
		if (!TEXT.matcher(text).matches()) {
			throw new IllegalArgumentException(
					property + " must be a percentage with its sign, such as 5% or 0.5% (was '" + text + "')");
		}
		return new Percentage(new BigDecimal(text.replace("%", "").strip()));
	}

	/**
	 * The percentage as a share.
	 * @return the share, where 1 is 100%
	 */
	public BigDecimal share() {
		return this.percent.movePointLeft(2);
	}

}
