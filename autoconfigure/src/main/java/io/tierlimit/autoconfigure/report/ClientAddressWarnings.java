package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.web.address.ForwardedHeader;
import io.tierlimit.web.address.IpNetwork;
import org.jspecify.annotations.Nullable;

/**
 * Describes the source of client addresses, and warns of unsafe settings.
 *
 * @param settings the settings of client addresses
 * @param rewriting another component that rewrites them, or {@code null}
 */
record ClientAddressWarnings(TierlimitProperties.ClientIp settings, @Nullable String rewriting) {

	/** The source, which continues {@code Client addresses are}. */
	String source() {
		if (trusts()) {
			ForwardedHeader header = this.settings.header().get(0);
			return "read from " + header.headerName() + " of the proxies " + this.settings.trustedProxies();
		}
		return (this.rewriting != null) ? "rewritten by " + this.rewriting : "those that the server reports";
	}

	private boolean trusts() {
		return !this.settings.trustedProxies().isEmpty();
	}

	/** The warnings as full sentences. */
	List<String> warnings() {
		List<String> warnings = new ArrayList<>();
		if (trusts() && this.rewriting != null) {
			warnings.add("Both tierlimit.client-ip.trusted-proxies and " + this.rewriting + " read the client address "
					+ "from a header, so the second may read an address that the client has written. Remove one of "
					+ "them.");
		}
		for (String network : this.settings.trustedProxies()) {
			if (IpNetwork.parse(network).isEverything()) {
				warnings.add("tierlimit.client-ip.trusted-proxies contains " + network
						+ ", so every client is a trusted proxy and can choose its own address. Set the networks of "
						+ "your proxies.");
			}
		}
		return warnings;
	}

}
