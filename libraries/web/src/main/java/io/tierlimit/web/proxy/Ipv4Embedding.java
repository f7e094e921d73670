package io.tierlimit.web.proxy;

import java.util.List;
import java.util.function.ToLongFunction;

import io.tierlimit.address.IpAddress;
import io.tierlimit.address.IpNetwork;
import org.jspecify.annotations.Nullable;

/**
 * An IPv6 prefix whose addresses contain the IPv4 address of the client. If these
 * addresses were treated like other IPv6 addresses, all IPv4 clients behind a translator
 * would share one bucket, and a single IPv4 host could choose among many buckets.
 *
 * @param prefix the prefix
 * @param bits finds the IPv4 address: the last 32 bits of the result
 */
record Ipv4Embedding(IpNetwork prefix, ToLongFunction<IpAddress> bits) {

	/** The well-known prefix of translators (RFC 6052, section 2.1). */
	private static final Ipv4Embedding NAT64 = of("64:ff9b::/96", IpAddress::low);

	/** 6to4: each IPv4 address has a /48 network in this prefix (RFC 3056, section 2). */
	private static final Ipv4Embedding SIX_TO_FOUR = of("2002::/16", (address) -> address.high() >>> 16);

	/** Teredo: the client's IPv4 address is inverted (RFC 4380, section 4). */
	private static final Ipv4Embedding TEREDO = of("2001::/32", (address) -> ~address.low());

	private static final List<Ipv4Embedding> ALL = List.of(NAT64, SIX_TO_FOUR, TEREDO);

	/**
	 * The networks of the IANA IPv4 Special-Purpose Address Registry that are not
	 * globally reachable, and multicast.
	 */
	private static final List<IpNetwork> NOT_GLOBAL = List
		.of("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
				"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
				"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")
		.stream()
		.map(IpNetwork::parse)
		.toList();

	private static Ipv4Embedding of(String prefix, ToLongFunction<IpAddress> bits) {
		return new Ipv4Embedding(IpNetwork.parse(prefix), bits);
	}

	/**
	 * Determines the client that an address belongs to. An embedded IPv4 address is used
	 * only if it is globally reachable: no client can become 127.0.0.1 or 10.0.0.1 by
	 * choosing an IPv6 address. All other addresses of the prefix are treated as one
	 * client, because no legitimate client has such an address.
	 * @param address any address
	 * @param ipv6Prefix the prefix length of an IPv6 client
	 * @return the network of the client, or its address if each address is a client
	 */
	static String client(IpAddress address, int ipv6Prefix) {
		Ipv4Embedding embedding = of(address);
		if (embedding == null) {
			return address.network(ipv6Prefix);
		}
		IpAddress embedded = IpAddress.ofIpv4(embedding.bits.applyAsLong(address) & 0xffffffffL);
		return isGlobal(embedded) ? embedded.toString()
				: address.network(Math.min(ipv6Prefix, embedding.prefix.prefix()));
	}

	private static @Nullable Ipv4Embedding of(IpAddress address) {
		for (Ipv4Embedding embedding : ALL) {
			if (embedding.prefix.contains(address)) {
				return embedding;
			}
		}
		return null;
	}

	private static boolean isGlobal(IpAddress embedded) {
		return NOT_GLOBAL.stream().noneMatch((network) -> network.contains(embedded));
	}

}
