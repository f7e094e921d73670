package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The methods of HTTP, as rules name them.
 */
final class HttpMethods {

	private static final List<String> STANDARD = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
			"TRACE", "CONNECT");

	/** The one method in wide use whose name is almost that of a standard one. */
	private static final String TRACK = "TRACK";

	private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

	private HttpMethods() {
	}

	/** Whether a request may have the method. */
	static boolean isToken(String method) {
		return TOKEN.matcher(method).matches();
	}

	/**
	 * The standard method that another one is a misspelling of; {@code null} for none.
	 * Methods that are no misspelling may be those of the application.
	 */
	static @Nullable String meantBy(String method) {
		boolean known = STANDARD.contains(method) || method.equals(TRACK);
		return known ? null : Spelling.nearest(method, STANDARD);
	}

}
