package io.tierlimit.web.address;

/**
 * Writes addresses in their canonical form, so that one address has one text.
 */
final class IpAddressText {

	private static final int GROUPS = 8;

	private IpAddressText() {
	}

	/**
	 * Writes an IPv4 address.
	 * @param bits the address
	 * @return four decimal numbers
	 */
	static String ofIpv4(int bits) {
		return (bits >>> 24) + "." + ((bits >>> 16) & 0xff) + "." + ((bits >>> 8) & 0xff) + "." + (bits & 0xff);
	}

	/**
	 * Writes an IPv6 address as RFC 5952 says: lower case, no leading zeros, {@code ::}
	 * for the longest run of two zero groups or more, the first of several.
	 * @param high the first 64 bits
	 * @param low the last 64 bits
	 * @return the text
	 */
	static String ofIpv6(long high, long low) {
		int gapStart = -1;
		int gapLength = 1;
		for (int i = 0; i < GROUPS; i++) {
			int length = zeroGroups(high, low, i);
			if (length > gapLength) {
				gapStart = i;
				gapLength = length;
			}
		}
		StringBuilder text = new StringBuilder(39);
		for (int i = 0; i < GROUPS; i++) {
			if (i == gapStart) {
				text.append("::");
				i += gapLength - 1;
				continue;
			}
			if (i > 0 && text.charAt(text.length() - 1) != ':') {
				text.append(':');
			}
			appendHex(text, group(high, low, i));
		}
		return text.toString();
	}

	private static int zeroGroups(long high, long low, int start) {
		int end = start;
		while (end < GROUPS && group(high, low, end) == 0) {
			end++;
		}
		return end - start;
	}

	private static int group(long high, long low, int index) {
		long half = (index < 4) ? high : low;
		return (int) (half >>> (48 - 16 * (index & 3))) & 0xffff;
	}

	private static void appendHex(StringBuilder text, int group) {
		int shift = 12;
		while (shift > 0 && group >>> shift == 0) {
			shift -= 4;
		}
		for (; shift >= 0; shift -= 4) {
			text.append(Character.forDigit((group >>> shift) & 0xf, 16));
		}
	}

}
