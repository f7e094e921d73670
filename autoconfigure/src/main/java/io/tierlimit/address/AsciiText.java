package io.tierlimit.address;

/**
 * Character classes of addresses and headers. All are subsets of ASCII.
 */
final class AsciiText {

	private AsciiText() {
	}

	static boolean isDigit(char c) {
		return c >= '0' && c <= '9';
	}

	static boolean isLetterOrDigit(char c) {
		return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	}

	/** Whether a token of RFC 9110 may have the character. */
	static boolean isToken(char c) {
		return isLetterOrDigit(c) || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
	}

	static boolean isSpace(char c) {
		return c == ' ' || c == '\t';
	}

	/** Removes spaces and tabs, the only white space that may surround a header value. */
	static String strip(String text, int start, int end) {
		int first = start;
		int last = end;
		while (first < last && isSpace(text.charAt(first))) {
			first++;
		}
		while (last > first && isSpace(text.charAt(last - 1))) {
			last--;
		}
		return text.substring(first, last);
	}

}
