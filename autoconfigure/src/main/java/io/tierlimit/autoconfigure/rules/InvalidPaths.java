package io.tierlimit.autoconfigure.rules;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Finds texts that can be parsed as path patterns, but that no path matches, because they
 * are in another syntax.
 */
final class InvalidPaths {

	private static final Pattern METHOD = Pattern.compile("([A-Za-z]+)\\s+(/.*)");

	private static final Pattern ADDRESS = Pattern.compile("/?[A-Za-z][A-Za-z0-9+.-]*://[^/]*(/.*)?");

	/** In a path pattern, ? matches one character. */
	private static final Pattern QUERY = Pattern.compile("([^?]*)\\?[^/?]*=.*");

	private static final Pattern EXPRESSION = Pattern
		.compile("/?\\^.*|.*\\$|(.*/)?\\.\\+(/.*)?|.*\\\\.*|.*\\([^/)]*\\|.*|.*\\[[^/\\]]+-[^/\\]]+].*"
				+ "|.*\\(\\.[*+].*|.*\\[\\^.*");

	private static final Pattern ANYTHING = Pattern.compile("(.*/)?\\.\\*(/.*)?");

	/** With a segment of these, a segment .* matches the files that begin with a dot. */
	private static final Pattern WILDCARD = Pattern.compile("(.*/)?\\*{1,2}(/.*)?");

	/** Variables as :id, &lt;id&gt; and [id]. */
	private static final Pattern VARIABLE = Pattern
		.compile("(?<=^|/):(\\w+)[?*+]?(?=/|$)|<(?:\\w+:)?(\\w+)>|(?<=^|/)\\[(?:\\.{3})?([a-z]{2,})](?=/|$)");

	private static final Pattern CHARACTERS = Pattern.compile("\\[[^/\\]]+]");

	/** A variable with a type, or with a blank before its expression. */
	private static final Pattern TYPE = Pattern
		.compile("\\{(\\w+):(?:(?:int|long|float|double|decimal|bool|datetime|guid|uuid)}|\\s.*)");

	private static final Pattern ENCODED = Pattern.compile("%[0-9A-Fa-f]{2}");

	private InvalidPaths() {
	}

	/**
	 * Finds a mistake.
	 * @param path a text that can be parsed
	 * @return the mistake and what to write instead; {@code null} if the text may be
	 * intended
	 */
	static @Nullable String find(String path) {
		String plain = withoutVariables(path);
		Matcher method = METHOD.matcher(plain);
		if (method.matches()) {
			return "begins with an HTTP method: write " + path.substring(path.indexOf('/')) + ", and " + method.group(1)
					+ " in methods";
		}
		if (ADDRESS.matcher(plain).matches()) {
			return "is a URL: write the path only, without scheme and host";
		}
		Matcher query = QUERY.matcher(plain);
		if (query.matches()) {
			return "contains a query, but only the path is compared: write the path only, and read parameters in a "
					+ "condition, such as param('q') != null";
		}
		if (EXPRESSION.matcher(plain).matches()
				|| (ANYTHING.matcher(plain).matches() && !WILDCARD.matcher(plain).matches())) {
			return "is a regular expression, and would be compared literally: write * for one segment, ** at the end "
					+ "for all below, or a variable with an expression, such as {id:[0-9]+}";
		}
		return findOfOthers(path, plain);
	}

	/** Finds the syntax of other tools, and URLs as clients send them. */
	private static @Nullable String findOfOthers(String path, String plain) {
		if (VARIABLE.matcher(plain).find()) {
			return "has a variable in the syntax of another tool, which would be compared literally: write "
					+ VARIABLE.matcher(path).replaceAll("{$1$2$3}");
		}
		Matcher characters = CHARACTERS.matcher(plain);
		if (characters.find()) {
			return "has characters in brackets, which would be compared literally: write {x:"
					+ characters.group().replace("[!", "[^") + "} instead of " + characters.group();
		}
		Matcher type = TYPE.matcher(path);
		if (type.find()) {
			return "has a type, or a blank, as the expression of the variable '" + type.group(1)
					+ "', which would be compared literally: write an expression such as {" + type.group(1)
					+ ":[0-9]+}";
		}
		if (plain.contains("#")) {
			return "contains a fragment, which clients do not send: write " + path.substring(0, path.indexOf('#'));
		}
		if (plain.contains(";")) {
			return "contains a path parameter, but parameters are not compared: write " + path.replaceAll(";[^/]*", "");
		}
		if (ENCODED.matcher(plain).find()) {
			return "is percent-encoded, but paths are compared decoded: write "
					+ StringUtils.uriDecode(path, StandardCharsets.UTF_8);
		}
		return path.equals(path.strip()) ? null : "has blanks at its start or end: write " + path.strip();
	}

	/** Removes variables, whose expressions may contain braces. */
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
