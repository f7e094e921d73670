package io.tierlimit.address;

import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 address. An IPv4 address is stored as its IPv4-mapped IPv6 address, so
 * that both notations are the same value.
 *
 * @param high the first 64 bits
 * @param low the last 64 bits
 */
public record IpAddress(long high, long low) {

	/** The bits of an IPv6 address; an IPv4 address uses the last 32 of them. */
	static final int BITS = 128;

	/** The number of bits before the 32 bits of an IPv4 address. */
	static final int IPV4_OFFSET = 96;

	/** Enough for the longest address and a zone; longer strings are not parsed. */
	private static final int MAX_LENGTH = 100;

	private static final long IPV4_MARK = 0xffff;

	/** Eight groups of four digits, each between two colons. */
	private static final int MAX_GROUPS_LENGTH = 41;

	private static final String ZERO_GROUPS = ":0:0:0:0:0:0:0:0:";

	/**
	 * Reads an address. Never queries DNS.
	 * @param text four decimal numbers with dots, or an IPv6 address in any notation,
	 * with or without a zone
	 * @return the address without its zone, or {@code null} if the text is not an address
	 */
	public static @Nullable IpAddress parse(String text) {
		if (text.length() > MAX_LENGTH) {
			return null;
		}
		return (text.indexOf(':') < 0) ? Ipv4Literal.parse(text) : Ipv6Literal.parse(text);
	}

	/**
	 * Creates an IPv4 address.
	 * @param bits the address in 32 bits
	 * @return the address
	 */
	public static IpAddress ofIpv4(long bits) {
		return new IpAddress(0, (IPV4_MARK << 32) | bits);
	}

	/**
	 * Whether this is an IPv4 address.
	 * @return true for IPv4, false for IPv6
	 */
	public boolean isIpv4() {
		return this.high == 0 && (this.low >>> 32) == IPV4_MARK;
	}

	/**
	 * Compares the first bits of this address and of another address.
	 * @param other any address
	 * @param bits how many of the 128 bits
	 * @return whether these bits are equal
	 */
	boolean startsLike(IpAddress other, int bits) {
		return ((this.high ^ other.high) & first(bits)) == 0 && ((this.low ^ other.low) & first(bits - 64)) == 0;
	}

	/**
	 * Clears the last bits.
	 * @param bits how many of the 128 bits are kept
	 * @return the first address of the network with this prefix
	 */
	IpAddress base(int bits) {
		return new IpAddress(this.high & first(bits), this.low & first(bits - 64));
	}

	private static long first(int bits) {
		if (bits <= 0) {
			return 0;
		}
		return (bits >= 64) ? -1 : -1L << (64 - bits);
	}

	/**
	 * Returns the network of this address.
	 * @param prefix the prefix length: 0 to 32 for an IPv4 address, 0 to 128 for an IPv6
	 * address
	 * @return the address itself if the prefix covers all bits, otherwise a network such
	 * as {@code 203.0.113.0/24} or {@code 2001:db8:1:2::/64}
	 */
	public String network(int prefix) {
		int bits = isIpv4() ? IPV4_OFFSET + prefix : prefix;
		return (bits == BITS) ? toString() : base(bits) + "/" + prefix;
	}

	/**
	 * The address in its canonical form.
	 * @return four decimal numbers, or the IPv6 form of RFC 5952: lower case, no leading
	 * zeros, {@code ::} for the longest run of two or more zero groups, or for the first
	 * of several longest runs
	 */
	@Override
	public String toString() {
		return isIpv4() ? ipv4Text((int) this.low) : ipv6Text();
	}

	private static String ipv4Text(int bits) {
		return (bits >>> 24) + "." + ((bits >>> 16) & 0xff) + "." + ((bits >>> 8) & 0xff) + "." + (bits & 0xff);
	}

	private String ipv6Text() {
		StringBuilder groups = new StringBuilder(MAX_GROUPS_LENGTH).append(':');
		appendGroups(this.high, groups);
		appendGroups(this.low, groups);
		String full = groups.toString();
		for (int length = ZERO_GROUPS.length(); length > ":0:".length(); length -= "0:".length()) {
			int start = full.indexOf(ZERO_GROUPS.substring(0, length));
			if (start >= 0) {
				return full.substring(Math.min(start, 1), start) + "::"
						+ full.substring(start + length, Math.max(start + length, full.length() - 1));
			}
		}
		return full.substring(1, full.length() - 1);
	}

	private static void appendGroups(long half, StringBuilder groups) {
		for (int shift = 48; shift >= 0; shift -= 16) {
			groups.append(Integer.toHexString((int) (half >>> shift) & 0xffff)).append(':');
		}
	}

}
