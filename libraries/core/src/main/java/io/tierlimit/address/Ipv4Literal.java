package io.tierlimit.address;

import org.jspecify.annotations.Nullable;

/**
 * Reads IPv4 addresses: four decimal numbers up to 255, and no other form. The JDK also
 * reads forms such as {@code 010.1}.
 */
public final class Ipv4Literal {

	private static final int NO_DIGIT = -1;

	private Ipv4Literal() {
	}

	/**
	 * Reads an address.
	 * @param text any text
	 * @return the address, or {@code null} if the text is not an IPv4 address
	 */
	static @Nullable IpAddress parse(String text) {
		long bits = bits(text, 0, text.length());
		return (bits < 0) ? null : IpAddress.ofIpv4(bits);
	}

	/**
	 * Reads a part of a string.
	 * @param text any text
	 * @param start where the part starts
	 * @param end where it ends
	 * @return the address in 32 bits, or -1 if the part is not an IPv4 address
	 */
	public static long bits(String text, int start, int end) {
		long bits = 0;
		int dots = 0;
		int number = NO_DIGIT;
		for (int i = start; i < end; i++) {
			char c = text.charAt(i);
			if (c == '.' && number != NO_DIGIT && dots < 3) {
				bits = (bits << 8) | number;
				number = NO_DIGIT;
				dots++;
			}
			// A leading zero is not valid because some parsers read the number as octal.
			else if (AsciiText.isDigit(c) && number != 0) {
				number = Math.max(number, 0) * 10 + c - '0';
				if (number > 255) {
					return -1;
				}
			}
			else {
				return -1;
			}
		}
		return (dots == 3 && number != NO_DIGIT) ? (bits << 8) | number : -1;
	}

}
