package io.tierlimit.web;

import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Reads the path patterns of rules.
 */
public final class PathPatterns {

	private PathPatterns() {
	}

	/**
	 * Parses a pattern.
	 * @param text a path pattern, whose first slash may be missing
	 * @return the pattern
	 * @throws IllegalArgumentException if the string is not a valid pattern; the message
	 * has the reason
	 */
	public static PathPattern parse(String text) {
		return parse(text, false);
	}

	/** Parses a pattern that may ignore case. */
	static PathPattern parse(String text, boolean ignoringCase) {
		PathPatternParser parser = new PathPatternParser();
		parser.setCaseSensitive(!ignoringCase);
		try {
			return parser.parse(text.startsWith("/") ? text : "/" + text);
		}
		catch (PatternParseException ex) {
			throw new IllegalArgumentException(ex.getMessage(), ex);
		}
	}

}
