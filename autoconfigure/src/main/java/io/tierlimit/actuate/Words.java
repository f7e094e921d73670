package io.tierlimit.actuate;

import java.util.Locale;

/**
 * Constants as they are written in the configuration.
 */
final class Words {

	private Words() {
	}

	static String of(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
