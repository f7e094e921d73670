package io.tierlimit.web.address;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * Tells the address that a request counts for. A header field is believed as far as
 * trusted proxies wrote it: from its end to the first address that isn't a trusted
 * proxy's. What stands left of that address is anybody's word, and is not read.
 */
public final class ClientAddresses {

	private final List<IpNetwork> trustedProxies;

	private final ForwardedHeader header;

	private final int ipv4Prefix;

	private final int ipv6Prefix;

	/**
	 * Creates addresses.
	 * @param trustedProxies where those proxies are whose word counts; if empty, no
	 * header is read
	 * @param header the header field that all of them write
	 * @param ipv4Prefix how many bits the IPv4 addresses share that count as one client:
	 * 8 to 32
	 * @param ipv6Prefix how many bits the IPv6 addresses share that count as one client:
	 * 32 to 128
	 * @throws IllegalArgumentException if a prefix is outside of what is accepted
	 */
	public ClientAddresses(List<IpNetwork> trustedProxies, ForwardedHeader header, int ipv4Prefix, int ipv6Prefix) {
		if (ipv4Prefix < 8 || ipv4Prefix > 32) {
			throw new IllegalArgumentException("Clients need an IPv4 prefix of 8 to 32 bits but had " + ipv4Prefix
					+ ": write 32 to count every address by itself");
		}
		if (ipv6Prefix < 32 || ipv6Prefix > 128) {
			throw new IllegalArgumentException("Clients need an IPv6 prefix of 32 to 128 bits but had " + ipv6Prefix
					+ ": write 64 to count every network by itself, 128 for every address");
		}
		this.trustedProxies = List.copyOf(trustedProxies);
		this.header = header;
		this.ipv4Prefix = ipv4Prefix;
		this.ipv6Prefix = ipv6Prefix;
	}

	/**
	 * Tells the address of a request.
	 * @param request any request; not changed
	 * @return the network of the client, or its address if that counts by itself; what
	 * the container says if that is no IP address; {@code null} if it says nothing
	 */
	public @Nullable String of(HttpServletRequest request) {
		String remote = request.getRemoteAddr();
		if (remote == null || remote.isEmpty()) {
			return null;
		}
		// Some containers put an IPv6 address in brackets.
		IpAddress sender = NodeAddress.parse(remote);
		if (sender == null) {
			return remote;
		}
		IpAddress client = isTrusted(sender) ? reported(sender, request) : sender;
		return client(client);
	}

	/**
	 * Tells what counts as the address of the client at an address.
	 * @param address an IP address of any spelling, or other text
	 * @return the network of the client, or its address if that counts by itself; other
	 * text as it is
	 */
	public String client(String address) {
		IpAddress known = NodeAddress.parse(address);
		return (known != null) ? client(known) : address;
	}

	private String client(IpAddress address) {
		return address.isIpv4() ? address.network(this.ipv4Prefix, this.ipv6Prefix)
				: Ipv4Embedding.client(address, this.ipv4Prefix, this.ipv6Prefix);
	}

	private IpAddress reported(IpAddress sender, HttpServletRequest request) {
		IpAddress vouched = sender;
		List<String> lines = lines(request);
		for (int i = lines.size() - 1; i >= 0; i--) {
			String line = lines.get(i);
			int start = line.length() + 1;
			while (start > 0) {
				int end = start - 1;
				start = this.header.elementStart(line, end);
				IpAddress address = this.header.address(AsciiText.strip(line, start, end));
				if (address == null) {
					return vouched;
				}
				if (!isTrusted(address)) {
					return address;
				}
				vouched = address;
			}
		}
		return vouched;
	}

	private List<String> lines(HttpServletRequest request) {
		Enumeration<String> lines = request.getHeaders(this.header.fieldName());
		// A container may deny access to the header.
		return (lines != null) ? Collections.list(lines) : List.of();
	}

	/** Compares the address as it is: an embedded IPv4 address earns no trust. */
	private boolean isTrusted(IpAddress address) {
		for (IpNetwork network : this.trustedProxies) {
			if (network.contains(address)) {
				return true;
			}
		}
		return false;
	}

}
