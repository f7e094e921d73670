package io.tierlimit.web.address;

import org.jspecify.annotations.Nullable;

/**
 * Reads one IPv6 address from its start to its end.
 */
final class Ipv6Literal {

	private final String text;

	private final int end;

	private final Ipv6Groups groups = new Ipv6Groups();

	private int at;

	private Ipv6Literal(String text, int end) {
		this.text = text;
		this.end = end;
	}

	/**
	 * Reads an address.
	 * @param text any text
	 * @return the address without its zone, or {@code null} if the text is none
	 */
	static @Nullable IpAddress parse(String text) {
		int zone = text.indexOf('%');
		if (zone >= 0 && !isZone(text, zone + 1)) {
			return null;
		}
		Ipv6Literal literal = new Ipv6Literal(text, (zone >= 0) ? zone : text.length());
		return literal.read() ? literal.groups.toAddress() : null;
	}

	private static boolean isZone(String text, int start) {
		for (int i = start; i < text.length(); i++) {
			if (!AsciiText.isLetterOrDigit(text.charAt(i)) && "-._~".indexOf(text.charAt(i)) < 0) {
				return false;
			}
		}
		return start < text.length();
	}

	private boolean read() {
		if (skip("::")) {
			this.groups.addGap();
		}
		while (this.at < this.end) {
			if (!readGroup() || !readSeparator()) {
				return false;
			}
		}
		return this.groups.isComplete();
	}

	private boolean readGroup() {
		int start = this.at;
		int group = 0;
		while (this.at < this.end && AsciiText.isHexDigit(this.text.charAt(this.at))) {
			group = (group << 4) | Character.digit(this.text.charAt(this.at), 16);
			this.at++;
		}
		if (this.at < this.end && this.text.charAt(this.at) == '.') {
			return readIpv4Tail(start);
		}
		int digits = this.at - start;
		return digits >= 1 && digits <= 4 && this.groups.add(group);
	}

	private boolean readIpv4Tail(int start) {
		long bits = Ipv4Literal.bits(this.text, start, this.end);
		this.at = this.end;
		return bits >= 0 && this.groups.add((int) (bits >>> 16)) && this.groups.add((int) bits & 0xffff);
	}

	private boolean readSeparator() {
		if (skip("::")) {
			return this.groups.addGap();
		}
		return skip(":") ? this.at < this.end : this.at == this.end;
	}

	private boolean skip(String separator) {
		boolean found = this.at + separator.length() <= this.end && this.text.startsWith(separator, this.at);
		if (found) {
			this.at += separator.length();
		}
		return found;
	}

}
