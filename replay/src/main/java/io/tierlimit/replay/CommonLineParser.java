package io.tierlimit.replay;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Reads lines in the Common Log Format and in the Combined Log Format:
 * {@code address identity user [time] "method target protocol" status bytes}. The
 * Combined Log Format also has {@code "referer" "user-agent"}. Anything after that is
 * ignored.
 */
final class CommonLineParser implements LineParser {

	private static final String NONE = "-";

	/**
	 * A line. The name of a user may contain spaces. The quantifiers are possessive, so
	 * the time is proportional to the length of the line, and no line exhausts the stack.
	 */
	private static final Pattern LINE = Pattern
		.compile("(?<address>[^ ]++) (?!\\[)[^ ]*+(?: (?!\\[)(?<user>(?:[^ ]++| (?!\\[))*+))? \\[(?<time>[^]]*+)] *+(?:"
				+ quoted("request") + " *+)?+(?<status>[^ ]++)?+ *+(?:[^ ]++)?+ *+(?:" + quoted("referer") + " *+"
				+ quoted("agent") + ")?+", Pattern.DOTALL);

	private static final Pattern STATUS = Pattern.compile("\\d{3}");

	/** The escapes of Apache and nginx: bytes, or a single character. */
	private static final Pattern ESCAPES = Pattern.compile("((?:\\\\x\\p{XDigit}{2})++)|\\\\(.)", Pattern.DOTALL);

	private static final HexFormat BYTES = HexFormat.of().withPrefix("\\x");

	private final LogTime times = new LogTime();

	private static String quoted(String name) {
		return "\"(?<" + name + ">(?:[^\"\\\\]++|\\\\.)*+)\"";
	}

	@Override
	public LoggedRequest parse(String line) throws InvalidLineException {
		Matcher parts = LINE.matcher(line);
		if (!parts.lookingAt()) {
			throw new InvalidLineException("not a line of the Common or Combined Log Format, nor a JSON object");
		}
		Instant time = this.times.parse(parts.group("time"));
		String request = parts.group("request");
		RequestLine sent = RequestLine.parse((request != null) ? unescape(request) : "");
		Map<String, String> headers = new HashMap<>();
		addHeader("referer", parts.group("referer"), headers);
		addHeader("user-agent", parts.group("agent"), headers);
		return new LoggedRequest(time, sent.method(), sent.target(), parts.group("address"), known(parts.group("user")),
				status(parts.group("status")), headers);
	}

	private static void addHeader(String name, @Nullable String value, Map<String, String> headers) {
		String text = (value != null) ? unescape(value) : NONE;
		if (!text.equals(NONE)) {
			headers.put(LoggedRequest.HEADER + name, text);
		}
	}

	private static @Nullable String known(@Nullable String user) {
		return (user == null || user.isEmpty() || user.equals(NONE) || user.equals("\"\"")) ? null : user;
	}

	/** The status, or {@code null} if the word is not a status. */
	static @Nullable Integer status(@Nullable String word) {
		return (word != null && STATUS.matcher(word).matches()) ? Integer.valueOf(word) : null;
	}

	private static String unescape(String text) {
		return (text.indexOf('\\') < 0) ? text
				: ESCAPES.matcher(text).replaceAll((escape) -> Matcher.quoteReplacement(meaning(escape)));
	}

	private static String meaning(MatchResult escape) {
		if (escape.group(1) != null) {
			return new String(BYTES.parseHex(escape.group(1)), StandardCharsets.UTF_8);
		}
		return switch (escape.group(2)) {
			case "n" -> "\n";
			case "r" -> "\r";
			case "t" -> "\t";
			default -> escape.group(2);
		};
	}

}
