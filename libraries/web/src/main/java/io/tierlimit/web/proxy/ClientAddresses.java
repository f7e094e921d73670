package io.tierlimit.web.proxy;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

import io.tierlimit.address.AsciiText;
import io.tierlimit.address.IpAddress;
import io.tierlimit.address.IpNetwork;
import io.tierlimit.address.Ipv4Literal;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Determines the client address of a request. A header is read from its end, as far as
 * trusted proxies wrote it: up to the first address that is not the address of a trusted
 * proxy. The part left of this address is not read, because any client can forge it.
 */
public final class ClientAddresses {

	private final List<IpNetwork> trustedProxies;

	private final ForwardedHeader header;

	private final int ipv6Prefix;

	/**
	 * Creates addresses.
	 * @param trustedProxies the networks of the trusted proxies; if empty, no header is
	 * read
	 * @param header the header that all trusted proxies write
	 * @param ipv6Prefix the prefix length of the IPv6 addresses of one client: 32 to 128
	 * @throws IllegalArgumentException if the prefix length is out of range
	 */
	public ClientAddresses(List<IpNetwork> trustedProxies, ForwardedHeader header, int ipv6Prefix) {
		if (ipv6Prefix < 32 || ipv6Prefix > 128) {
			throw new IllegalArgumentException("The IPv6 prefix of clients must have 32 to 128 bits; 64 limits each "
					+ "network separately, 128 each address (was " + ipv6Prefix + ")");
		}
		this.trustedProxies = List.copyOf(trustedProxies);
		this.header = header;
		this.ipv6Prefix = ipv6Prefix;
	}

	/**
	 * Determines the client address of a request.
	 * @param request any request; not changed
	 * @return the network of the client, or its address if each address is a client; the
	 * unchanged remote address of the container if it is not an IP address; {@code null}
	 * if the container has no remote address
	 */
	public @Nullable String of(HttpServletRequest request) {
		String remote = request.getRemoteAddr();
		if (remote == null || remote.isEmpty()) {
			return null;
		}
		if (this.trustedProxies.isEmpty() && Ipv4Literal.bits(remote, 0, remote.length()) >= 0) {
			// An IPv4 address has only one spelling.
			return remote;
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
	 * Determines the client that an address belongs to.
	 * @param address an IP address in any notation, or any other string
	 * @return the network of the client, or its address if each address is a client; any
	 * other string unchanged
	 */
	public String client(String address) {
		IpAddress parsed = NodeAddress.parse(address);
		return (parsed != null) ? client(parsed) : address;
	}

	private String client(IpAddress address) {
		return address.isIpv4() ? address.toString() : Ipv4Embedding.client(address, this.ipv6Prefix);
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
		Enumeration<String> lines = request.getHeaders(this.header.headerName());
		// A container may deny access to the header.
		return (lines != null) ? Collections.list(lines) : List.of();
	}

	/** Whether a proxy is trusted. Embedded IPv4 addresses are not extracted. */
	private boolean isTrusted(IpAddress address) {
		for (IpNetwork network : this.trustedProxies) {
			if (network.contains(address)) {
				return true;
			}
		}
		return false;
	}

}
