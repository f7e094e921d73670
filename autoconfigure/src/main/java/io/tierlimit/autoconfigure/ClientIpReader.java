package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.web.address.ClientAddresses;
import io.tierlimit.web.address.ForwardedHeader;
import io.tierlimit.web.address.IpNetwork;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Makes of {@code tierlimit.client-ip} what tells the client's address, and notes all
 * that is wrong with it.
 */
final class ClientIpReader {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("tierlimit.client-ip");

	private final PropertyPlaces places;

	private final Problems problems;

	ClientIpReader(PropertyPlaces places, Problems problems) {
		this.places = places;
		this.problems = problems;
	}

	/** Notes what is wrong. */
	void check(TierlimitProperties.ClientIp properties) {
		for (String network : properties.trustedProxies()) {
			attempt("trusted-proxies", () -> IpNetwork.parse(network));
		}
		if (properties.header().size() != 1) {
			List<String> names = properties.header().stream().map(ForwardedHeader::fieldName).toList();
			this.problems.add("The client's address comes from one header, but there are " + names,
					"Name the one that your proxies write in", this.places.find(ROOT.append("header")));
		}
		attempt("ipv4-prefix",
				() -> new ClientAddresses(List.of(), ForwardedHeader.X_FORWARDED_FOR, properties.ipv4Prefix(), 64));
		attempt("ipv6-prefix",
				() -> new ClientAddresses(List.of(), ForwardedHeader.X_FORWARDED_FOR, 32, properties.ipv6Prefix()));
	}

	private void attempt(String property, Runnable reading) {
		try {
			reading.run();
		}
		catch (IllegalArgumentException ex) {
			this.problems.add(String.valueOf(ex.getMessage()), "Correct", this.places.find(ROOT.append(property)));
		}
	}

	/** What has been checked. */
	static ClientAddresses read(TierlimitProperties.ClientIp properties) {
		List<IpNetwork> proxies = new ArrayList<>();
		properties.trustedProxies().forEach((network) -> proxies.add(IpNetwork.parse(network)));
		return new ClientAddresses(proxies, properties.header().get(0), properties.ipv4Prefix(),
				properties.ipv6Prefix());
	}

}
