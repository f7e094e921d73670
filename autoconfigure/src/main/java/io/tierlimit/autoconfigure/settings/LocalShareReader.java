package io.tierlimit.autoconfigure.settings;

import java.math.BigDecimal;

import io.tierlimit.rule.reader.Percentage;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code tierlimit.redis.local-share}.
 */
public final class LocalShareReader {

	static final String PROPERTY = "tierlimit.redis.local-share";

	private LocalShareReader() {
	}

	/**
	 * Reads a share.
	 * @param text {@code auto}, or a percentage such as {@code 25%}
	 * @return the share, where 1 is 100%; {@code null} for {@code auto}
	 * @throws IllegalArgumentException if the string is not a valid share
	 */
	public static @Nullable BigDecimal read(String text) {
		if (text.strip().equalsIgnoreCase("auto")) {
			return null;
		}
		BigDecimal share = percentage(text);
		if (share.signum() <= 0 || share.compareTo(BigDecimal.ONE) > 0) {
			throw new IllegalArgumentException(PROPERTY + " must be above 0% and at most 100% (was '" + text + "')");
		}
		return share;
	}

	private static BigDecimal percentage(String text) {
		try {
			return Percentage.parse(PROPERTY, text).share();
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					PROPERTY + " must be auto, or a percentage with its sign, such as 25% (was '" + text + "')", ex);
		}
	}

}
