package io.tierlimit.autoconfigure;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Finds texts that can be parsed as path patterns, but that no request's path matches,
 * because they were written as something else.
 */
final class PathMistakes {

	private static final Pattern METHOD = Pattern.compile("([A-Za-z]+)\\s+(/.*)");

	private static final Pattern ADDRESS = Pattern.compile("/?[A-Za-z][A-Za-z0-9+.-]*://[^/]*(/.*)?");

	/** A single ? stands for any character of a path. */
	private static final Pattern QUERY = Pattern.compile("([^?]*)\\?[^/?]*=.*");

	private static final Pattern EXPRESSION = Pattern
		.compile("/?\\^.*|.*\\$|(.*/)?\\.[*+](/.*)?|.*\\\\.*|.*\\([^/)]*\\|.*|.*\\[[^/\\]]+-[^/\\]]+].*"
				+ "|.*\\(\\.[*+].*|.*\\[\\^.*");

	private PathMistakes() {
	}

	/**
	 * Finds a mistake.
	 * @param path a text that can be parsed
	 * @return what the text is, and what to write instead; {@code null} if it may be
	 * meant
	 */
	static @Nullable String find(String path) {
		String plain = withoutVariables(path);
		Matcher method = METHOD.matcher(plain);
		if (method.matches()) {
			return "begins with an HTTP method: write " + path.substring(path.indexOf('/')) + ", and " + method.group(1)
					+ " in methods";
		}
		if (ADDRESS.matcher(plain).matches()) {
			return "is an address: write the path alone, without scheme and host";
		}
		Matcher query = QUERY.matcher(plain);
		if (query.matches()) {
			return "contains a query, and only the path is compared: write the path alone, and read parameters in a "
					+ "condition, such as param('q') != null";
		}
		if (EXPRESSION.matcher(plain).matches()) {
			return "is a regular expression, and would be compared literally: write * for one segment, ** at the end "
					+ "for all below, or a variable with an expression, such as {id:[0-9]+}";
		}
		return null;
	}

	/** Variables may contain expressions with braces of their own. */
	private static String withoutVariables(String path) {
		StringBuilder plain = new StringBuilder();
		int depth = 0;
		for (int i = 0; i < path.length(); i++) {
			char c = path.charAt(i);
			depth -= (c == '}') ? 1 : 0;
			if (depth == 0) {
				plain.append(c);
			}
			depth += (c == '{') ? 1 : 0;
		}
		return plain.toString();
	}

}
