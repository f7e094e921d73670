package io.tierlimit.rule;

import java.util.Locale;

/**
 * Writes the constants of enums as the configuration, answers and meters have them.
 */
public final class KebabCase {

	private KebabCase() {
	}

	/**
	 * Writes a constant.
	 * @param constant the constant, such as {@code TOKEN_BUCKET}
	 * @return its name in lower case with dashes, such as {@code token-bucket}
	 */
	public static String of(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
