package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

import io.tierlimit.web.PathPatterns;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Finds strings that are not path patterns, or that are path patterns but match no path,
 * because they are written in another syntax.
 */
final class InvalidPaths {

	private static final boolean PATTERNS = ClassUtils.isPresent("org.springframework.web.util.pattern.PathPattern",
			InvalidPaths.class.getClassLoader());

	private static final String LITERAL = ", which would be compared literally: write ";

	/**
	 * The mistakes, by patterns for the strings that have them. The contents of variables
	 * are removed from a string first.
	 */
	private static final Map<Pattern, String> MISTAKES = new LinkedHashMap<>();

	static {
		add("[A-Za-z]+\\s+/.*", "begins with an HTTP method: write the path only, and the method in methods");
		add("/?[A-Za-z][A-Za-z0-9+.-]*://[^/]*(/.*)?", "is a URL: write the path only, without scheme and host");
		// In a path pattern, ? matches one character.
		add("[^?]*\\?[^/?]*=.*", "contains a query, but only the path is compared: write the path only, and read "
				+ "parameters in a condition, such as param('q') != null");
		add("(.*/)?(:\\w+[?*+]?|\\[(\\.{3})?[a-z]{2,}])(/.*)?|.*<(\\w+:)?\\w+>.*",
				"has a variable in the syntax of another tool" + LITERAL + "a variable such as {id}");
		// In a path with a segment * or **, a segment .* matches the files that begin
		// with a dot.
		add("/?\\^.*|.*\\$|(.*/)?\\.\\+(/.*)?|.*\\\\.*|.*\\([^/)]*\\|.*|.*\\[[^/\\]]+].*|.*\\[\\^.*|.*\\(\\.[*+].*"
				+ "|(?!(.*/)?\\*{1,2}(/.*)?$)(.*/)?\\.\\*(/.*)?",
				"is a regular expression" + LITERAL + "* for one segment, ** at the end for all below, or a variable "
						+ "with an expression, such as {id:[0-9]+}");
		add(".*#.*", "contains a fragment, which clients do not send: write the path before it");
		add(".*;.*", "contains a path parameter, but parameters are not compared: write the path without it");
		add(".*%[0-9A-Fa-f]{2}.*", "is percent-encoded, but paths are compared decoded: write the decoded path");
		add("\\s.*|.*\\s", "has blanks at its start or end: write the path without them");
	}

	/** A variable with a type, or with a blank before its expression. */
	private static final Pattern TYPE = Pattern
		.compile("\\{\\w+:(?:(?:int|long|float|double|decimal|bool|datetime|guid|uuid)}|\\s)");

	/** The expression of a variable may have braces. */
	private static final Pattern VARIABLE = Pattern.compile("\\{(?:[^{}]|\\{[^{}]*})*}");

	private InvalidPaths() {
	}

	private static void add(String text, String mistake) {
		MISTAKES.put(Pattern.compile(text), mistake);
	}

	/**
	 * Finds a mistake.
	 * @param path any string
	 * @return the mistake and what to write instead; {@code null} if the string may be
	 * intended
	 */
	static @Nullable String find(String path) {
		if (PATTERNS) {
			try {
				PathPatterns.parse(path);
			}
			catch (IllegalArgumentException ex) {
				return "is not a valid path pattern: " + ex.getMessage();
			}
		}
		if (TYPE.matcher(path).find()) {
			return "has a type, or a blank, as the expression of a variable" + LITERAL + "an expression such as "
					+ "{id:[0-9]+}";
		}
		String plain = VARIABLE.matcher(path).replaceAll("{}");
		return MISTAKES.entrySet()
			.stream()
			.filter((mistake) -> mistake.getKey().matcher(plain).matches())
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(null);
	}

}
