package io.tierlimit.autoconfigure.settings;

import java.util.List;

import io.tierlimit.address.ClientAddresses;
import io.tierlimit.address.ForwardedHeader;
import io.tierlimit.address.IpNetwork;
import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.rule.reader.Problems;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Checks {@code tierlimit.client-ip}.
 */
final class ClientIpCheck {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tierlimit.client-ip");

	private final PropertyOrigins places;

	private final Problems problems;

	ClientIpCheck(PropertyOrigins places, Problems problems) {
		this.places = places;
		this.problems = problems;
	}

	void check(TierlimitProperties.ClientIp properties) {
		for (int i = 0; i < properties.trustedProxies().size(); i++) {
			String network = properties.trustedProxies().get(i);
			attempt("trusted-proxies[" + i + "]", () -> IpNetwork.parse(network));
		}
		if (properties.header().size() != 1) {
			List<String> names = properties.header().stream().map(ForwardedHeader::headerName).toList();
			this.problems.add("tierlimit.client-ip.header must name one header (was " + names + ")",
					"Set {} to the header that your proxies write", this.places.find(ROOT.append("header")));
		}
		attempt("ipv4-prefix",
				() -> new ClientAddresses(List.of(), ForwardedHeader.X_FORWARDED_FOR, properties.ipv4Prefix(), 64));
		attempt("ipv6-prefix",
				() -> new ClientAddresses(List.of(), ForwardedHeader.X_FORWARDED_FOR, 32, properties.ipv6Prefix()));
	}

	private void attempt(String property, Runnable reading) {
		this.places.attempt(ConfigurationPropertyName.of(ROOT + "." + property), reading, this.problems);
	}

}
