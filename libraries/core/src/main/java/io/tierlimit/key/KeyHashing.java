package io.tierlimit.key;

import io.tierlimit.spi.KeyResolver;

/**
 * Selects the parts of keys that are hashed before they are stored, logged or shown.
 * Parts of more than 64 characters are always hashed, so that long names cannot fill a
 * store.
 */
public enum KeyHashing {

	/**
	 * Values that may be client-supplied (headers, parameters, arguments, results of a
	 * {@link KeyResolver}), and users and plans with unusual characters.
	 */
	SENSITIVE,

	/** The same parts, and every user and every address. */
	ALL,

	/** Only parts of more than 64 characters. */
	NONE

}
