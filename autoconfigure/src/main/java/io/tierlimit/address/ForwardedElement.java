package io.tierlimit.address;

import org.jspecify.annotations.Nullable;

/**
 * Reads one element of the {@code Forwarded} header: pairs of a name and a value,
 * separated by semicolons (RFC 7239, section 4).
 */
final class ForwardedElement {

	private final String text;

	private int at;

	private @Nullable String node;

	private ForwardedElement(String text) {
		this.text = text;
	}

	/**
	 * Reads an element.
	 * @param element the element without surrounding spaces
	 * @return the value of its parameter {@code for}, or {@code null} if the element is
	 * not well-formed or does not have exactly one
	 */
	static @Nullable String node(String element) {
		ForwardedElement read = new ForwardedElement(element);
		return read.readPairs() ? read.node : null;
	}

	private boolean readPairs() {
		while (this.at < this.text.length()) {
			skipSpaces();
			// The grammar allows a semicolon at either end, and several in a row.
			if (!isAt(';') && !readPair()) {
				return false;
			}
			skipSpaces();
			if (this.at < this.text.length() && !skip(';')) {
				return false;
			}
		}
		return true;
	}

	private boolean readPair() {
		String name = readToken();
		if (name == null || !skip('=')) {
			return false;
		}
		String value = isAt('"') ? readQuoted() : readToken();
		if (value == null || !name.equalsIgnoreCase("for")) {
			return value != null;
		}
		boolean only = this.node == null;
		this.node = value;
		return only;
	}

	private @Nullable String readToken() {
		int start = this.at;
		while (this.at < this.text.length() && AsciiText.isToken(this.text.charAt(this.at))) {
			this.at++;
		}
		return (this.at > start) ? this.text.substring(start, this.at) : null;
	}

	private @Nullable String readQuoted() {
		StringBuilder value = new StringBuilder();
		this.at++;
		while (this.at < this.text.length() && !isAt('"')) {
			if (isAt('\\')) {
				this.at++;
			}
			if (this.at == this.text.length() || isControl(this.text.charAt(this.at))) {
				return null;
			}
			value.append(this.text.charAt(this.at));
			this.at++;
		}
		return skip('"') ? value.toString() : null;
	}

	private static boolean isControl(char c) {
		return (c < ' ' && c != '\t') || c == 0x7f;
	}

	private void skipSpaces() {
		while (this.at < this.text.length() && AsciiText.isSpace(this.text.charAt(this.at))) {
			this.at++;
		}
	}

	private boolean skip(char c) {
		boolean found = isAt(c);
		if (found) {
			this.at++;
		}
		return found;
	}

	private boolean isAt(char c) {
		return this.at < this.text.length() && this.text.charAt(this.at) == c;
	}

}
