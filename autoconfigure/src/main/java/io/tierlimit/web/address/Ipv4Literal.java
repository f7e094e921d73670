package io.tierlimit.web.address;

import org.jspecify.annotations.Nullable;

/**
 * Reads IPv4 addresses: four decimal numbers up to 255 and nothing else.
 */
final class Ipv4Literal {

	private Ipv4Literal() {
	}

	/**
	 * Reads an address.
	 * @param text any text
	 * @return the address, or {@code null} if the text is none
	 */
	static @Nullable IpAddress parse(String text) {
		long bits = bits(text, 0, text.length());
		return (bits < 0) ? null : IpAddress.ofIpv4(bits);
	}

	/**
	 * Reads a part of a text.
	 * @param text any text
	 * @param start where the part starts
	 * @param end where it ends
	 * @return the address in 32 bits, or -1 if the part is none
	 */
	static long bits(String text, int start, int end) {
		long bits = 0;
		int at = start;
		for (int part = 0; part < 4; part++) {
			int partEnd = digitsEnd(text, at, end);
			int number = number(text, at, partEnd);
			if (number < 0) {
				return -1;
			}
			bits = (bits << 8) | number;
			boolean last = part == 3;
			if (last ? partEnd != end : partEnd == end || text.charAt(partEnd) != '.') {
				return -1;
			}
			at = partEnd + 1;
		}
		return bits;
	}

	private static int digitsEnd(String text, int start, int end) {
		int at = start;
		while (at < end && AsciiText.isDigit(text.charAt(at))) {
			at++;
		}
		return at;
	}

	private static int number(String text, int start, int end) {
		int digits = end - start;
		// A leading zero is refused because some readers take the number as octal.
		if (digits < 1 || digits > 3 || (digits > 1 && text.charAt(start) == '0')) {
			return -1;
		}
		int number = 0;
		for (int i = start; i < end; i++) {
			number = number * 10 + text.charAt(i) - '0';
		}
		return (number <= 255) ? number : -1;
	}

}
