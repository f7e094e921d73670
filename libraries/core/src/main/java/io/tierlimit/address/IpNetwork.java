package io.tierlimit.address;

import org.jspecify.annotations.Nullable;

/**
 * The addresses of one family that share a prefix, as in {@code 10.0.0.0/8} or
 * {@code 2001:db8::/32}.
 *
 * @param base the first address
 * @param bits the prefix length within the 128 bits of {@link IpAddress}, such as 104 for
 * {@code 10.0.0.0/8}
 */
public record IpNetwork(IpAddress base, int bits) {

	/** Clears the bits below the prefix. */
	public IpNetwork {
		base = base.base(bits);
	}

	/**
	 * Reads a network. An IPv4-mapped IPv6 network is the IPv4 network.
	 * @param text an address, a slash, and the prefix length; an address alone is a
	 * network of one address
	 * @return the network
	 * @throws IllegalArgumentException if the text is not a valid network, or has bits
	 * below its prefix; the message contains the correct form
	 */
	public static IpNetwork parse(String text) {
		String network = text.strip();
		int slash = network.indexOf('/');
		String literal = (slash < 0) ? network : network.substring(0, slash);
		// A zone would be ignored, and the network would be wider than it appears.
		IpAddress address = (literal.indexOf('%') < 0) ? IpAddress.parse(literal) : null;
		if (address == null) {
			throw new IllegalArgumentException("'" + text + "' is not a valid network: write an address and a prefix, "
					+ "such as 10.0.0.0/8 or 2001:db8::/32, or an address alone; names and zones are not supported");
		}
		int offset = (literal.indexOf(':') < 0) ? IpAddress.IPV4_OFFSET : 0;
		int bits = (slash < 0) ? IpAddress.BITS : offset + prefix(network, slash + 1, IpAddress.BITS - offset);
		if (address.isIpv4() && bits < IpAddress.IPV4_OFFSET) {
			throw new IllegalArgumentException("'" + text + "' is wider than all IPv4 addresses, which are "
					+ "::ffff:0:0/96: write the IPv4 network, such as 10.0.0.0/8");
		}
		IpNetwork read = new IpNetwork(address, bits);
		if (!read.base.equals(address)) {
			throw new IllegalArgumentException("'" + text + "' has bits below its prefix: write " + read);
		}
		return read;
	}

	private static int prefix(String network, int start, int most) {
		int digits = network.length() - start;
		int prefix = (digits >= 1 && digits <= 3) ? 0 : -1;
		for (int i = start; i < network.length() && prefix >= 0; i++) {
			char c = network.charAt(i);
			boolean superfluous = prefix == 0 && i > start;
			prefix = (AsciiText.isDigit(c) && !superfluous) ? prefix * 10 + c - '0' : -1;
		}
		if (prefix < 0 || prefix > most) {
			throw new IllegalArgumentException("'" + network + "' must have a prefix of 0 to " + most + " bits, not '"
					+ network.substring(start) + "'");
		}
		return prefix;
	}

	/**
	 * The network of the same family that contains this one and has a shorter prefix;
	 * {@code null} if there is none.
	 * @param shorter the prefix length within 128 bits
	 */
	@Nullable IpNetwork widened(int shorter) {
		boolean exists = shorter <= this.bits && (shorter >= IpAddress.IPV4_OFFSET || !this.base.isIpv4());
		return exists ? new IpNetwork(this.base, shorter) : null;
	}

	/**
	 * Whether this network is at least as wide as one client.
	 * @param ipv6Prefix the prefix length of the IPv6 network that is treated as one
	 * client
	 * @return whether this network's prefix is not longer; always true for IPv4
	 */
	public boolean containsClients(int ipv6Prefix) {
		return this.base.isIpv4() || prefix() <= ipv6Prefix;
	}

	/**
	 * Whether this network contains an address.
	 * @param address any address
	 * @return whether the address has the same family and prefix
	 */
	public boolean contains(IpAddress address) {
		return address.isIpv4() == this.base.isIpv4() && address.startsLike(this.base, this.bits);
	}

	/**
	 * Whether this network contains all addresses of its family.
	 * @return whether the prefix is 0
	 */
	public boolean isEverything() {
		return prefix() == 0;
	}

	/** The prefix length as written for the family: up to 32 or up to 128. */
	public int prefix() {
		return this.base.isIpv4() ? this.bits - IpAddress.IPV4_OFFSET : this.bits;
	}

	/**
	 * The network in its canonical form.
	 * @return the first address and the prefix, or the address alone if the network has
	 * no other address
	 */
	@Override
	public String toString() {
		return this.base.network(prefix());
	}

}
