package io.tierlimit.web.proxy;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Reads one element of the {@code Forwarded} header: pairs of a name and a value,
 * separated by semicolons (RFC 7239, section 4).
 */
final class ForwardedElement {

	private static final String TOKEN = "([\\w!#$%&'*+.^`|~-]++)";

	/**
	 * A quoted string without control characters, except for tabs. A backslash escapes
	 * the next character.
	 */
	private static final String QUOTED = "\"((?:[^\"\\\\\\p{Cntrl}]|\\t|\\\\(?:\\P{Cntrl}|\\t))*+)\"";

	/**
	 * A pair up to its semicolon. The grammar allows a semicolon at either end, and
	 * several in a row. The quantifiers are possessive, so no header exhausts the stack.
	 */
	private static final Pattern PAIR = Pattern
		.compile("[ \\t]*+(?:" + TOKEN + "=(?:" + TOKEN + "|" + QUOTED + "))?+[ \\t]*+(?:;|\\z)");

	private static final Pattern ESCAPED = Pattern.compile("\\\\(.)", Pattern.DOTALL);

	private ForwardedElement() {
	}

	/**
	 * Reads an element.
	 * @param element the element without surrounding spaces
	 * @return the value of its parameter {@code for}, or {@code null} if the element is
	 * not well-formed or does not have exactly one such parameter
	 */
	static @Nullable String node(String element) {
		String node = null;
		Matcher pair = PAIR.matcher(element);
		for (int at = 0; at < element.length(); at = pair.end()) {
			if (!pair.region(at, element.length()).lookingAt()) {
				return null;
			}
			if ("for".equalsIgnoreCase(pair.group(1))) {
				if (node != null) {
					return null;
				}
				node = value(pair);
			}
		}
		return node;
	}

	private static String value(Matcher pair) {
		String token = pair.group(2);
		return (token != null) ? token : ESCAPED.matcher(pair.group(3)).replaceAll("$1");
	}

}
