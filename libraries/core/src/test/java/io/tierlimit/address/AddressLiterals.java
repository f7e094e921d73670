package io.tierlimit.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The reference for the address tests: the grammar of RFC 3986 as a regular expression,
 * and the JDK. Only literals are passed to the JDK, since it would query DNS for other
 * strings.
 */
public final class AddressLiterals {

	private static final String BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

	private static final String IPV4 = BYTE + "(?:\\." + BYTE + "){3}";

	private static final String H16 = "[0-9A-Fa-f]{1,4}";

	private static final String LS32 = "(?:" + H16 + ":" + H16 + "|" + IPV4 + ")";

	private static final Pattern LITERAL = Pattern.compile(IPV4 + "|(?:" + ipv6() + ")");

	private static final Pattern ZONE = Pattern.compile("(?<=:[^%]{0,99})%[A-Za-z0-9._~-]+$");

	private AddressLiterals() {
	}

	private static String ipv6() {
		StringBuilder alternatives = new StringBuilder("(?:" + H16 + ":){6}" + LS32);
		for (int after = 5; after >= 0; after--) {
			alternatives.append('|').append(before(5 - after)).append("::(?:" + H16 + ":){" + after + "}" + LS32);
		}
		alternatives.append('|').append(before(6)).append("::" + H16);
		return alternatives.append('|').append(before(7)).append("::").toString();
	}

	private static String before(int most) {
		return (most == 0) ? "" : "(?:(?:" + H16 + ":){0," + (most - 1) + "}" + H16 + ")?";
	}

	/** Reads an address with the grammar and the JDK, without its zone. */
	public static @Nullable InetAddress read(String text) {
		String literal = ZONE.matcher(text).replaceFirst("");
		return (text.length() <= 100 && LITERAL.matcher(literal).matches()) ? ask(literal) : null;
	}

	/** Reads a literal with the JDK. */
	public static InetAddress ask(String literal) {
		try {
			return InetAddress.getByName(literal);
		}
		catch (UnknownHostException ex) {
			throw new AssertionError("The JDK cannot read the literal " + literal, ex);
		}
	}

	/** Converts the full form of the JDK to the canonical form. */
	public static String canonical(InetAddress address) {
		String full = address.getHostAddress();
		if (address.getAddress().length == 4) {
			return full;
		}
		for (int zeros = 8; zeros >= 2; zeros--) {
			// Groups have no leading zeros here, so a zero group is a single 0.
			String written = full.replaceFirst("(^|:)0(:0){" + (zeros - 1) + "}(:|$)", "::");
			if (!written.equals(full)) {
				return written;
			}
		}
		return full;
	}

	/** Writes an address in a random notation. */
	public static String spell(byte[] address, Random random) {
		if (address.length == 4) {
			return dotted(address, 0);
		}
		boolean tail = random.nextInt(4) == 0;
		int groups = tail ? 6 : 8;
		int gapStart = random.nextInt(groups + 1);
		int gapEnd = gapStart;
		while (gapEnd < groups && group(address, gapEnd) == 0 && random.nextInt(10) > 0) {
			gapEnd++;
		}
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < groups; i++) {
			if (i == gapStart && gapEnd > gapStart) {
				text.append((i == 0) ? "::" : ":");
				i = gapEnd - 1;
				continue;
			}
			text.append(hex(group(address, i), random)).append((i < 7) ? ":" : "");
		}
		return text.append(tail ? dotted(address, 12) : "").toString();
	}

	private static int group(byte[] address, int index) {
		return (address[2 * index] & 0xff) << 8 | (address[2 * index + 1] & 0xff);
	}

	private static String hex(int group, Random random) {
		String format = "%0" + (1 + random.nextInt(4)) + (random.nextBoolean() ? "x" : "X");
		return String.format(Locale.ROOT, format, group);
	}

	private static String dotted(byte[] address, int start) {
		return (address[start] & 0xff) + "." + (address[start + 1] & 0xff) + "." + (address[start + 2] & 0xff) + "."
				+ (address[start + 3] & 0xff);
	}

}
