package io.tierlimit.web.proxy;

import java.net.InetAddress;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.address.AddressLiterals;
import org.jspecify.annotations.Nullable;

/**
 * Determines the client with regular expressions from the grammar of the RFCs, and with
 * the JDK. Trusts {@code 10.0.0.0/8} and {@code 2001:db8:aaaa::/48}.
 */
final class HeaderOracle {

	private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";

	private static final String QUOTED = "\"(?:[^\"\\\\\\x00-\\x08\\x0a-\\x1f\\x7f]"
			+ "|\\\\[^\\x00-\\x08\\x0a-\\x1f\\x7f])*+\"";

	private static final String PAIR = "[ \t]*(?:" + TOKEN + "=(?:" + TOKEN + "|" + QUOTED + "))?[ \t]*";

	/** Anchored at the end, so that it matches the last element. */
	private static final Pattern LAST_ELEMENT = Pattern.compile("(?:^|,)(" + PAIR + "(?:;" + PAIR + ")*+)$");

	private static final Pattern ANY_PAIR = Pattern.compile("(" + TOKEN + ")=(" + TOKEN + "|" + QUOTED + ")");

	private static final Pattern NODE = Pattern
		.compile("(?:([^:\\[\\]]*)|\\[([^\\]]*:[^\\]]*)\\])(?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?|([^\\[\\]]*)");

	private HeaderOracle() {
	}

	/** Returns the client in the lines that a trusted proxy has sent. */
	static String client(ForwardedHeader header, String proxy, List<String> lines) {
		String vouched = proxy;
		for (int i = lines.size() - 1; i >= 0; i--) {
			String rest = lines.get(i);
			while (rest != null) {
				Matcher element = last(header, rest);
				if (!element.find()) {
					return vouched;
				}
				InetAddress address = address(header, element.group(1));
				if (address == null) {
					return vouched;
				}
				vouched = AddressLiterals.canonical(address);
				if (!isTrusted(address)) {
					return vouched;
				}
				rest = (element.start(1) > 0) ? rest.substring(0, element.start(1) - 1) : null;
			}
		}
		return vouched;
	}

	private static Matcher last(ForwardedHeader header, String rest) {
		Pattern pattern = (header == ForwardedHeader.FORWARDED) ? LAST_ELEMENT : Pattern.compile("(?:^|,)([^,]*)$");
		return pattern.matcher(rest);
	}

	private static @Nullable InetAddress address(ForwardedHeader header, String element) {
		if (header == ForwardedHeader.X_FORWARDED_FOR) {
			return node(element.replaceAll("^[ \t]+|[ \t]+$", ""));
		}
		String node = null;
		Matcher pair = ANY_PAIR.matcher(element);
		while (pair.find()) {
			if (pair.group(1).equalsIgnoreCase("for")) {
				if (node != null) {
					return null;
				}
				node = pair.group(2).replaceAll("^\"|\"$", "").replaceAll("\\\\(.)", "$1");
			}
		}
		return (node != null) ? node(node) : null;
	}

	private static @Nullable InetAddress node(String node) {
		Matcher matcher = NODE.matcher(node);
		if (!matcher.matches()) {
			return null;
		}
		for (int group = 1; group <= 3; group++) {
			if (matcher.group(group) != null) {
				return AddressLiterals.read(matcher.group(group));
			}
		}
		return null;
	}

	private static boolean isTrusted(InetAddress address) {
		byte[] bytes = address.getAddress();
		return (bytes.length == 4) ? bytes[0] == 10 : AddressLiterals.canonical(address).startsWith("2001:db8:aaaa:");
	}

}
