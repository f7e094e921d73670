package io.tierlimit.address;

/**
 * Character classes of addresses and headers. All are subsets of ASCII.
 */
public final class AsciiText {

	private AsciiText() {
	}

	public static boolean isDigit(char c) {
		return c >= '0' && c <= '9';
	}

	/**
	 * Whether a string, from an index on, is not empty and has only ASCII letters, digits
	 * and the other characters.
	 */
	public static boolean isName(String text, int start, String others) {
		for (int i = start; i < text.length(); i++) {
			char c = text.charAt(i);
			boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
			if (!letter && !isDigit(c) && others.indexOf(c) < 0) {
				return false;
			}
		}
		return start < text.length();
	}

	private static boolean isSpace(char c) {
		return c == ' ' || c == '\t';
	}

	/** Removes spaces and tabs, the only white space that may surround a header value. */
	public static String strip(String text, int start, int end) {
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
