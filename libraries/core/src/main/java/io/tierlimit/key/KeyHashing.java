package io.tierlimit.key;

import io.tierlimit.spi.KeyResolver;

/**
 * Which parts of keys are hashed before they are stored, logged or shown. Parts of more
 * than 64 characters are always hashed, so that long names cannot fill a store.
 */
public enum KeyHashing {

	/**
	 * Values that may be client-supplied (headers, parameters, arguments, results of a
	 * {@link KeyResolver}), and users and plans with unusual characters.
	 */
	SENSITIVE,

	/** In addition, every user and every address. */
	ALL,

	/** No other parts. */
	NONE

}
