package io.tierlimit.key;

import io.tierlimit.spi.KeyResolver;

/**
 * Which parts of keys are hashed before they are stored, logged or shown. Whatever is
 * longer than 64 characters always is: nobody fills a store with endless names.
 */
public enum KeyHashing {

	/**
	 * What callers send or may have sent (headers, parameters, arguments, whatever a
	 * {@link KeyResolver} makes of them), and users and plans with unusual characters.
	 */
	SENSITIVE,

	/** All of that, every user and every address. */
	ALL,

	/** Nothing else. */
	NONE

}
