package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.web.address.ForwardedHeader;
import io.tierlimit.web.address.IpNetwork;
import org.jspecify.annotations.Nullable;

/**
 * Says where client addresses come from, and what is odd about it.
 *
 * @param settings how Tierlimit finds them
 * @param rewriting what else rewrites them, or {@code null}
 */
record ClientAddressWarnings(TierlimitProperties.ClientIp settings, @Nullable String rewriting) {

	/** Continues a sentence. */
	String source() {
		if (trusts()) {
			ForwardedHeader header = this.settings.header().get(0);
			return "client addresses from " + header.headerName() + " behind " + this.settings.trustedProxies();
		}
		return (this.rewriting != null) ? "client addresses as rewritten by " + this.rewriting
				: "client addresses as the container reports them";
	}

	private boolean trusts() {
		return !this.settings.trustedProxies().isEmpty();
	}

	/** A sentence for each oddity, without its full stop. */
	List<String> warnings() {
		List<String> odd = new ArrayList<>();
		if (trusts() && this.rewriting != null) {
			odd.add("Both tierlimit.client-ip.trusted-proxies and " + this.rewriting + " look for the client's address "
					+ "in a header, so that the second to look may believe the client itself: remove one of them");
		}
		for (String network : this.settings.trustedProxies()) {
			if (IpNetwork.parse(network).isEverything()) {
				odd.add("tierlimit.client-ip.trusted-proxies has " + network
						+ ", so that every client is a proxy whose "
						+ "word counts, and chooses its own address: name the networks of your proxies");
			}
		}
		return odd;
	}

}
