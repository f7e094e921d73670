package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.address.IpNetwork;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.web.proxy.ForwardedHeader;
import org.jspecify.annotations.Nullable;

/**
 * Describes the source of client addresses, and warns of unsafe settings.
 *
 * @param settings the settings of client addresses
 * @param rewriter another component that rewrites client addresses, or {@code null}
 */
record ClientAddressWarnings(TierlimitProperties.ClientIp settings, @Nullable String rewriter) {

	/** The description of the source, which follows {@code Client addresses are}. */
	String source() {
		if (trustsProxies()) {
			ForwardedHeader header = this.settings.header().get(0);
			return "read from " + header.headerName() + " of the proxies " + this.settings.trustedProxies();
		}
		return (this.rewriter != null) ? "rewritten by " + this.rewriter : "reported by the server";
	}

	private boolean trustsProxies() {
		return !this.settings.trustedProxies().isEmpty();
	}

	/** The warnings as full sentences. */
	List<String> warnings() {
		List<String> warnings = new ArrayList<>();
		if (trustsProxies() && this.rewriter != null) {
			warnings.add("Both tierlimit.client-ip.trusted-proxies and " + this.rewriter + " read the client address "
					+ "from a header, so the second one may read a client-supplied address. Remove one of them.");
		}
		for (String network : this.settings.trustedProxies()) {
			if (IpNetwork.parse(network).isEverything()) {
				warnings.add("tierlimit.client-ip.trusted-proxies contains " + network
						+ ", so every client is a trusted proxy and can forge its address. Set the networks of "
						+ "your proxies.");
			}
		}
		return warnings;
	}

}
