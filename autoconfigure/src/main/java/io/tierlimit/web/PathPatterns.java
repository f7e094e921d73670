package io.tierlimit.web;

import java.util.ArrayList;
import java.util.List;

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
		return parse(text, PathPatternParser.defaultInstance);
	}

	/** The patterns that match what the text does in every spelling. */
	static List<PathPattern> parse(String text, PathSpelling spelling) {
		PathPatternParser parser = new PathPatternParser();
		parser.setCaseSensitive(!spelling.ignoresCase());
		List<PathPattern> patterns = new ArrayList<>();
		patterns.add(parse(text, parser));
		if (spelling.ignoresTrailingSlash() && !text.endsWith("**")) {
			patterns.add(parse(text.endsWith("/") ? text.substring(0, text.length() - 1) : text + "/", parser));
		}
		return patterns;
	}

	private static PathPattern parse(String text, PathPatternParser parser) {
		try {
			return parser.parse(text.startsWith("/") ? text : "/" + text);
		}
		catch (PatternParseException ex) {
			throw new IllegalArgumentException(ex.getMessage(), ex);
		}
	}

}
