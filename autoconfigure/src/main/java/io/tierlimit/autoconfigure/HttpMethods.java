package io.tierlimit.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The methods of HTTP, as rules name them.
 */
final class HttpMethods {

	private static final List<String> STANDARD = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
			"TRACE", "CONNECT");

	/** Methods of the IANA registry, of HTTP caches and of UPnP. */
	private static final Set<String> EXTENSIONS = Set.of("ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT",
			"COPY", "LABEL", "LINK", "LIST", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF",
			"MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPFIND", "PROPPATCH", "QUERY", "REBIND", "REPORT", "SEARCH",
			"TRACK", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
			"BAN", "PURGE", "NOTIFY", "SUBSCRIBE", "UNSUBSCRIBE", "M-SEARCH");

	private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

	private HttpMethods() {
	}

	/** Whether a request may have the method. */
	static boolean isToken(String method) {
		return TOKEN.matcher(method).matches();
	}

	/** Whether a standard, or software that is in wide use, defines the method. */
	static boolean isKnown(String method) {
		return STANDARD.contains(method) || EXTENSIONS.contains(method);
	}

	/** The method that an unknown one is a misspelling of; {@code null} for none. */
	static @Nullable String meantBy(String method) {
		return isKnown(method) ? null : Spelling.nearest(method, STANDARD);
	}

}
