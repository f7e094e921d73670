package io.tierlimit.logging;

import java.util.regex.Pattern;

/**
 * Text of clients and operators in a form that fits into a line of a log and a column of
 * a table.
 */
public final class PrintableText {

	/** Control characters, others that are not those of a text, and line breaks. */
	private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	private PrintableText() {
	}

	/**
	 * Replaces each character that is not printable, such as a line break, by a question
	 * mark.
	 * @param text any text
	 * @return the printable text
	 */
	public static String of(String text) {
		return UNPRINTABLE.matcher(text).replaceAll("?");
	}

}
