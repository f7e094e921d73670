package io.tierlimit.address;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class NetworkMapTests {

	private final NetworkMap<String> map = new NetworkMap<>();

	@Test
	void findsAllNetworksOfAnAddressTheSmallestFirst() {
		put("203.0.113.0/24", "203.0.0.0/8", "203.0.113.7", "0.0.0.0/0", "::/0", "2001:db8::/32");
		assertThat(this.map.containing("203.0.113.7")).containsExactly("203.0.113.7", "203.0.113.0/24", "203.0.0.0/8",
				"0.0.0.0/0");
		assertThat(this.map.containing("::ffff:203.0.113.8")).containsExactly("203.0.113.0/24", "203.0.0.0/8",
				"0.0.0.0/0");
		assertThat(this.map.containing("2001:db8::1")).containsExactly("2001:db8::/32", "::/0");
		assertThat(this.map.containing("::1")).containsExactly("::/0");
	}

	@Test
	void findsOnlyNetworksThatContainAWholeClient() {
		put("2001:db8:0:1::/64", "2001:db8::/32", "2001:db8:0:1::7", "2001:db8:0:1::", "203.0.113.0/24", "203.0.113.7",
				"203.0.113.0");
		assertThat(this.map.containing("2001:db8:0:1::/64")).containsExactly("2001:db8:0:1::/64", "2001:db8::/32");
		assertThat(this.map.containing("203.0.113.0/24")).containsExactly("203.0.113.0/24");
		assertThat(this.map.containing("203.0.0.0/16")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "/", "a/b", "203.0.113.7/", "203.0.113.7/x", "203.0.113.7/24", "203.0.113.0/33",
			"unix:/run/socket", "203.0.113.7, 10.0.0.1", "1.2.3", "::1%eth0/64" })
	void otherStringIsInNoNetwork(String client) {
		put("0.0.0.0/0", "::/0");
		assertThat(this.map.containing(client)).isEmpty();
	}

	/** The zone of an address is ignored. */
	@Test
	void addressMayHaveAZone() {
		put("fe80::/10");
		assertThat(this.map.containing("fe80::1%eth0")).containsExactly("fe80::/10");
	}

	@Test
	void findsWhatASearchThroughAllNetworksFinds() {
		Random random = new Random(1);
		for (int round = 0; round < 200; round++) {
			NetworkMap<IpNetwork> networks = new NetworkMap<>();
			Set<IpNetwork> all = new LinkedHashSet<>();
			for (int i = 0; i < 20; i++) {
				IpAddress base = address(random);
				int bits = (base.isIpv4() ? IpAddress.IPV4_OFFSET : 0) + random.nextInt(base.isIpv4() ? 33 : 129);
				IpNetwork network = new IpNetwork(base, bits);
				networks.computeIfAbsent(network, () -> network);
				all.add(network);
			}
			for (int i = 0; i < 50; i++) {
				IpAddress address = address(random);
				List<IpNetwork> expected = new ArrayList<>(
						all.stream().filter((network) -> network.contains(address)).toList());
				expected.sort(Comparator.comparing(IpNetwork::bits).reversed());
				assertThat(networks.containing(address.toString())).as(address.toString()).isEqualTo(expected);
			}
		}
	}

	/** Returns one of a few values, so that networks often contain the addresses. */
	private static IpAddress address(Random random) {
		String text = random.nextBoolean()
				? "10." + random.nextInt(2) + "." + random.nextInt(2) + "." + random.nextInt(4)
				: "2001:db8:" + random.nextInt(2) + ":" + random.nextInt(3) + "::" + random.nextInt(3);
		return Objects.requireNonNull(IpAddress.parse(text));
	}

	private void put(String... networks) {
		for (String network : networks) {
			this.map.computeIfAbsent(IpNetwork.parse(network), () -> network);
		}
	}

}
