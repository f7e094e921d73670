package io.tierlimit.web.proxy;

import io.tierlimit.address.AsciiText;
import io.tierlimit.address.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Reads the node of a forwarding header: an IPv4 address, or an IPv6 address with or
 * without brackets, with or without a port (RFC 7239, section 6).
 */
final class NodeAddress {

	private static final int MAX_PORT_DIGITS = 5;

	private NodeAddress() {
	}

	/**
	 * Reads a node.
	 * @param node any string
	 * @return its address, or {@code null} for {@code unknown}, an obfuscated name, or
	 * any other string
	 */
	static @Nullable IpAddress parse(String node) {
		if (node.startsWith("[")) {
			return parseInBrackets(node);
		}
		int colon = node.indexOf(':');
		// An IPv6 address has at least two colons.
		boolean port = colon >= 0 && node.indexOf(':', colon + 1) < 0;
		if (!port) {
			return IpAddress.parse(node);
		}
		return isPort(node, colon + 1) ? IpAddress.parse(node.substring(0, colon)) : null;
	}

	private static @Nullable IpAddress parseInBrackets(String node) {
		int close = node.indexOf(']');
		if (close < 0 || !(close + 1 == node.length() || (node.charAt(close + 1) == ':' && isPort(node, close + 2)))) {
			return null;
		}
		String literal = node.substring(1, close);
		return (literal.indexOf(':') < 0) ? null : IpAddress.parse(literal);
	}

	private static boolean isPort(String node, int start) {
		return node.startsWith("_", start) ? AsciiText.isName(node, start + 1, "._-") : isNumber(node, start);
	}

	private static boolean isNumber(String node, int start) {
		int digits = node.length() - start;
		if (digits < 1 || digits > MAX_PORT_DIGITS) {
			return false;
		}
		for (int i = start; i < node.length(); i++) {
			if (!AsciiText.isDigit(node.charAt(i))) {
				return false;
			}
		}
		return true;
	}

}
