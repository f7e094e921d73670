package io.tierlimit.replay;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Reads lines in the Common Log Format and in the Combined Log Format:
 * {@code address identity user [time] "method target protocol" status bytes}. The
 * Combined Log Format also has {@code "referer" "user-agent"}. Anything after that is
 * ignored.
 */
final class CommonLineParser implements LineParser {

	private static final String NONE = "-";

	private final LogTime times = new LogTime();

	@Override
	public LoggedRequest parse(String line) throws InvalidLineException {
		int address = line.indexOf(' ');
		int bracket = line.indexOf(" [", Math.max(address, 0));
		int identity = line.indexOf(' ', address + 1);
		int end = line.indexOf(']', bracket + 1);
		if (address <= 0 || bracket < 0 || identity < 0 || identity > bracket || end < 0) {
			throw new InvalidLineException("not a line of the Common or Combined Log Format, nor a JSON object");
		}
		Instant time = this.times.parse(line.substring(bracket + 2, end));
		// The identity is the next word. The name of a user may contain spaces.
		String user = (identity == bracket) ? NONE : line.substring(identity + 1, bracket);
		Fields fields = new Fields(line, end + 1);
		String request = fields.quoted();
		RequestLine sent = RequestLine.parse((request != null) ? request : "");
		Integer status = status(fields.word());
		fields.word();
		String referer = fields.quoted();
		String agent = fields.quoted();
		return new LoggedRequest(time, sent.method(), sent.target(), line.substring(0, address), known(user), status,
				(referer != null && agent != null) ? headers(referer, agent) : Map.of());
	}

	private static Map<String, String> headers(String referer, String agent) {
		if (referer.equals(NONE)) {
			return agent.equals(NONE) ? Map.of() : Map.of("header.user-agent", agent);
		}
		return agent.equals(NONE) ? Map.of("header.referer", referer)
				: Map.of("header.referer", referer, "header.user-agent", agent);
	}

	private static @Nullable String known(String user) {
		return (user.isEmpty() || user.equals(NONE) || user.equals("\"\"")) ? null : user;
	}

	/** The status, or {@code null} if the word is not a status. */
	static @Nullable Integer status(@Nullable String word) {
		if (word == null || word.length() != 3) {
			return null;
		}
		int status = 0;
		for (int i = 0; i < 3; i++) {
			int digit = word.charAt(i) - '0';
			if (digit < 0 || digit > 9) {
				return null;
			}
			status = 10 * status + digit;
		}
		return status;
	}

	/** The fields after the time. */
	private static final class Fields {

		private final String line;

		private int position;

		Fields(String line, int position) {
			this.line = line;
			this.position = position;
		}

		@Nullable String word() {
			skipSpaces();
			int start = this.position;
			int space = this.line.indexOf(' ', start);
			this.position = (space < 0) ? this.line.length() : space;
			return (this.position == start) ? null : this.line.substring(start, this.position);
		}

		/** The next quoted string, without escapes. */
		@Nullable String quoted() {
			skipSpaces();
			if (this.position >= this.line.length() || this.line.charAt(this.position) != '"') {
				return null;
			}
			int start = this.position + 1;
			boolean escaped = false;
			for (int i = start; i < this.line.length(); i++) {
				char c = this.line.charAt(i);
				if (c == '"') {
					this.position = i + 1;
					return escaped ? unescape(this.line.substring(start, i)) : this.line.substring(start, i);
				}
				if (c == '\\') {
					escaped = true;
					i++;
				}
			}
			return null;
		}

		private void skipSpaces() {
			while (this.position < this.line.length() && this.line.charAt(this.position) == ' ') {
				this.position++;
			}
		}

		/**
		 * Removes the escapes of Apache and nginx: quotes, backslashes, and bytes as
		 * {@code \xHH}.
		 */
		private static String unescape(String text) {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			for (int i = 0; i < text.length(); i++) {
				char c = text.charAt(i);
				if (c == '\\' && i + 3 < text.length() && text.charAt(i + 1) == 'x'
						&& Character.digit(text.charAt(i + 2), 16) >= 0
						&& Character.digit(text.charAt(i + 3), 16) >= 0) {
					bytes.write(Integer.parseInt(text, i + 2, i + 4, 16));
					i += 3;
				}
				else if (c == '\\' && i + 1 < text.length()) {
					i++;
					String meant = switch (text.charAt(i)) {
						case 'n' -> "\n";
						case 'r' -> "\r";
						case 't' -> "\t";
						default -> String.valueOf(text.charAt(i));
					};
					bytes.writeBytes(meant.getBytes(StandardCharsets.UTF_8));
				}
				else {
					int point = text.codePointAt(i);
					bytes.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
					i += Character.charCount(point) - 1;
				}
			}
			return bytes.toString(StandardCharsets.UTF_8);
		}

	}

}
