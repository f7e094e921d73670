package io.tierlimit.web.proxy;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Finds and reads the elements of the {@code Forwarded} header: pairs of a name and a
 * value, separated by semicolons (RFC 7239, section 4).
 * <p>
 * A line is split from its end, which the nearest proxy wrote. A comma within a
 * quoted-string is not a separator. Quotes are also paired from the end, because the
 * client may have left a quote open. The start of every well-formed element is found,
 * whatever precedes it. The start of any other element does not matter, because neither
 * this element nor the part left of it is read.
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

	/**
	 * Finds an element by its end.
	 * @param line one line of the header
	 * @param end where the element ends
	 * @return where it starts: after the first comma to the left that is not in a
	 * quoted-string; 0 if there is none
	 */
	static int start(String line, int end) {
		int at = end - 1;
		while (at >= 0 && line.charAt(at) != ',') {
			at = (line.charAt(at) == '"') ? openingQuote(line, at) - 1 : at - 1;
		}
		return Math.max(at, -1) + 1;
	}

	/** The start of the quoted-string that ends here; -1 if it has no start. */
	private static int openingQuote(String line, int closingQuote) {
		int at = line.lastIndexOf('"', closingQuote - 1);
		while (at >= 0) {
			int backslashes = backslashesBefore(line, at);
			if (backslashes % 2 == 0) {
				return at;
			}
			at = line.lastIndexOf('"', at - backslashes - 1);
		}
		return -1;
	}

	private static int backslashesBefore(String line, int quote) {
		int at = quote;
		while (at > 0 && line.charAt(at - 1) == '\\') {
			at--;
		}
		return quote - at;
	}

}
