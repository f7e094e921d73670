package io.tierlimit.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * Reads IPv6 addresses with the JDK. The JDK also accepts groups of more than four
 * digits, and digits of other scripts, so the characters are checked first.
 */
final class Ipv6Literal {

	private static final int MAX_DIGITS = 4;

	private Ipv6Literal() {
	}

	/**
	 * Reads an address.
	 * @param text any text
	 * @return the address without its zone, or {@code null} if the text is not an IPv6
	 * address
	 */
	static @Nullable IpAddress parse(String text) {
		int zone = text.indexOf('%');
		if (zone >= 0 && !AsciiText.isName(text, zone + 1, "-._~")) {
			return null;
		}
		String literal = (zone >= 0) ? text.substring(0, zone) : text;
		return hasGroups(literal) ? read(literal) : null;
	}

	/**
	 * Whether all groups have at most four digits. The last group can be an IPv4 address.
	 */
	private static boolean hasGroups(String literal) {
		int digits = 0;
		for (int i = 0; i < literal.length(); i++) {
			char c = literal.charAt(i);
			if (c == '.') {
				return Ipv4Literal.bits(literal, i - digits, literal.length()) >= 0;
			}
			digits = HexFormat.isHexDigit(c) ? digits + 1 : 0;
			if (digits > MAX_DIGITS || (digits == 0 && c != ':')) {
				return false;
			}
		}
		return true;
	}

	private static @Nullable IpAddress read(String literal) {
		try {
			// With brackets, the JDK reads an IPv6 address or fails: it never queries
			// DNS.
			byte[] address = InetAddress.getByName("[" + literal + "]").getAddress();
			ByteBuffer bytes = ByteBuffer.wrap(address);
			// The JDK returns an IPv4-mapped address as the IPv4 address.
			return (address.length == Integer.BYTES) ? IpAddress.ofIpv4(Integer.toUnsignedLong(bytes.getInt()))
					: new IpAddress(bytes.getLong(), bytes.getLong());
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

}
