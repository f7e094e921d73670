package io.tierlimit.web.address;

/**
 * Splits a line of the {@code Forwarded} header from its end, where the nearest proxy
 * wrote. A comma within a quoted-string doesn't split; but which quotes belong together
 * is told from the end as well, because the client may have left one open.
 * <p>
 * This finds the start of every element that is well-formed, whatever stands before it.
 * The start of any other doesn't matter: it isn't read, and nothing left of it is.
 */
final class ForwardedElementScanner {

	private ForwardedElementScanner() {
	}

	/**
	 * Finds an element by its end.
	 * @param line one line of the header
	 * @param end where the element ends
	 * @return where it starts: behind the first comma to the left that is in no
	 * quoted-string; 0 if there is none
	 */
	static int start(String line, int end) {
		int at = end - 1;
		while (at >= 0 && line.charAt(at) != ',') {
			at = (line.charAt(at) == '"') ? openingQuote(line, at) - 1 : at - 1;
		}
		return Math.max(at, -1) + 1;
	}

	/** Where the quoted-string starts that ends here; -1 if it doesn't start. */
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
