package io.tierlimit.logging;

import java.util.regex.Pattern;

/**
 * Converts strings of clients and operators to a form that fits into a log line and a
 * column of a table.
 */
public final class PrintableText {

	/** Control characters, other characters without a glyph, and line breaks. */
	private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	private PrintableText() {
	}

	/**
	 * Replaces each character that is not printable, such as a line break, by a question
	 * mark.
	 * @param text any string
	 * @return the printable string
	 */
	public static String of(String text) {
		return UNPRINTABLE.matcher(text).replaceAll("?");
	}

}
