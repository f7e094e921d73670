package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.regex.Pattern;

import io.tierlimit.autoconfigure.environment.Spelling;
import org.jspecify.annotations.Nullable;

/**
 * The methods of HTTP.
 */
final class HttpMethods {

	private static final List<String> STANDARD = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
			"TRACE", "CONNECT");

	/** A method in wide use whose name is similar to that of a standard method. */
	private static final String TRACK = "TRACK";

	private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

	private HttpMethods() {
	}

	/** Whether the text is a valid name of a method. */
	static boolean isToken(String method) {
		return TOKEN.matcher(method).matches();
	}

	/**
	 * Returns the standard method that was probably intended; {@code null} if there is
	 * none, because the method may be the application's own.
	 */
	static @Nullable String meantBy(String method) {
		boolean known = STANDARD.contains(method) || method.equals(TRACK);
		return known ? null : Spelling.nearest(method, STANDARD);
	}

}
