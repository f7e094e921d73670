package io.tierlimit.replay;

import org.jspecify.annotations.Nullable;

/**
 * Makes a string from a log safe to print. A client can cause control characters to be
 * logged, which could change what a terminal shows.
 */
final class Printable {

	private Printable() {
	}

	/**
	 * Replaces all characters that a terminal may interpret, and shortens a long string.
	 * @param text any string
	 * @param longest the maximum number of characters that are kept
	 */
	static String of(@Nullable String text, int longest) {
		if (text == null) {
			return "";
		}
		StringBuilder printable = new StringBuilder();
		for (int i = 0; i < text.length();) {
			int point = text.codePointAt(i);
			i += Character.charCount(point);
			if (printable.length() >= longest && i < text.length()) {
				return printable.append("...").toString();
			}
			if (isPrinted(point)) {
				printable.appendCodePoint(point);
			}
			else {
				printable.append("\\u{").append(Integer.toHexString(point)).append('}');
			}
		}
		return printable.toString();
	}

	private static boolean isPrinted(int point) {
		return switch (Character.getType(point)) {
			case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED,
					Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
				false;
			default -> true;
		};
	}

}
