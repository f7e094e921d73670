package io.tierlimit.web;

import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Reads path patterns as rules write them.
 */
public final class PathPatterns {

	private PathPatterns() {
	}

	/**
	 * Parses a pattern.
	 * @param text a path pattern, whose first slash may be missing
	 * @return the pattern
	 * @throws IllegalArgumentException if the text is none; the message says why
	 */
	public static PathPattern parse(String text) {
		try {
			return PathPatternParser.defaultInstance.parse(text.startsWith("/") ? text : "/" + text);
		}
		catch (PatternParseException ex) {
			throw new IllegalArgumentException(ex.getMessage(), ex);
		}
	}

}
