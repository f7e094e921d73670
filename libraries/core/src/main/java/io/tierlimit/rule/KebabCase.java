package io.tierlimit.rule;

import java.util.Locale;

/**
 * Formats the constants of enums as the configuration, responses and meters spell them.
 */
public final class KebabCase {

	private KebabCase() {
	}

	/**
	 * Formats a constant.
	 * @param constant the constant, such as {@code TOKEN_BUCKET}
	 * @return the constant's name in lower case with dashes, such as {@code token-bucket}
	 */
	public static String of(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
