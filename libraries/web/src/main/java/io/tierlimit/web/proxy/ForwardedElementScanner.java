package io.tierlimit.web.proxy;

/**
 * Splits a line of the {@code Forwarded} header from its end, which the nearest proxy
 * wrote. A comma within a quoted-string is not a separator. Quotes are also paired from
 * the end, because the client may have left a quote open.
 * <p>
 * The scanner finds the start of every well-formed element, whatever precedes it. The
 * start of any other element does not matter, because neither this element nor the part
 * left of it is read.
 */
final class ForwardedElementScanner {

	private ForwardedElementScanner() {
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
