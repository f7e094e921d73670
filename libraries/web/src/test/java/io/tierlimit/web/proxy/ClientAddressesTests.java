package io.tierlimit.web.proxy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;

import io.tierlimit.address.IpAddress;
import io.tierlimit.address.IpNetwork;
import io.tierlimit.address.Ipv4Literal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;

import static io.tierlimit.web.proxy.ForwardedHeader.FORWARDED;
import static io.tierlimit.web.proxy.ForwardedHeader.X_FORWARDED_FOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class ClientAddressesTests {

	private static final List<IpNetwork> TRUSTED = List.of(IpNetwork.parse("10.0.0.0/8"),
			IpNetwork.parse("2001:db8:aaaa::/48"));

	private static final String PROXY = "10.0.0.1";

	@ParameterizedTest
	@CsvSource({ "203.0.113.7, 203.0.113.7", "::ffff:203.0.113.7, 203.0.113.7", "2001:DB8:0:0::1, 2001:db8::1",
			"fe80:0:0:0:0:0:0:1%eth0, fe80::1", "[2001:db8:0::1], 2001:db8::1", "localhost, localhost",
			"unix:/run/app.sock, unix:/run/app.sock", "unknown, unknown", "203.0.113.07, 203.0.113.07" })
	void senderIsTheClientUnlessItIsATrustedProxy(String remote, String client) {
		for (ForwardedHeader header : ForwardedHeader.values()) {
			HttpServletRequest request = request(remote, header, "for=198.51.100.1", "198.51.100.1");
			assertThat(new ClientAddresses(TRUSTED, header, 128).of(request)).isEqualTo(client);
		}
	}

	@Test
	void requestWithoutASenderHasNoAddress() {
		assertThat(of(X_FORWARDED_FOR, withRemote(null))).isNull();
		assertThat(of(X_FORWARDED_FOR, withRemote(""))).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void readsNoHeaderUnlessTheSenderIsTrusted(ForwardedHeader header) {
		assertThat(of(header, withoutHeaders("203.0.113.7"))).isEqualTo("203.0.113.7");
		assertThat(new ClientAddresses(List.of(), header, 128).of(withoutHeaders(PROXY))).isEqualTo(PROXY);
	}

	@Test
	void readsNoOtherHeader() {
		MockHttpServletRequest request = request(PROXY, FORWARDED);
		request.addHeader("Forwarded", "for=198.51.100.1");
		request.addHeader("X-Forwarded-For", "203.0.113.7");
		assertThat(of(FORWARDED, request)).isEqualTo("198.51.100.1");
		assertThat(of(X_FORWARDED_FOR, request)).isEqualTo("203.0.113.7");
	}

	@ParameterizedTest
	@EnumSource
	void trustedSenderIsTheClientIfThereIsNoHeader(ForwardedHeader header) {
		assertThat(of(header, request(PROXY, header))).isEqualTo(PROXY);
		assertThat(of(header, withDeniedHeaders(PROXY))).isEqualTo(PROXY);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "203.0.113.7 | 203.0.113.7", "203.0.113.7:5678 | 203.0.113.7", "2001:db8::1 | 2001:db8::1",
					"[2001:db8::1] | 2001:db8::1", "[2001:db8::1]:443 | 2001:db8::1",
					"` \t203.0.113.7\t ` | 203.0.113.7", "::ffff:203.0.113.7 | 203.0.113.7", "fe80::1%eth0 | fe80::1",
					"6.6.6.6, 203.0.113.7 | 203.0.113.7", "6.6.6.6,203.0.113.7,10.0.0.2 | 203.0.113.7",
					"203.0.113.7, 2001:db8:aaaa::2, 10.0.0.2:80 | 203.0.113.7",
					"203.0.113.7, ::ffff:10.0.0.2 | 203.0.113.7", "10.0.0.3, 10.0.0.2 | 10.0.0.3",
					"10.0.0.2 | 10.0.0.2", "\", 203.0.113.7 | 203.0.113.7", "6.6.6.6, unknown, 10.0.0.2 | 10.0.0.2",
					"6.6.6.6, _x | 10.0.0.1", "6.6.6.6,,10.0.0.2 | 10.0.0.2", "6.6.6.6, | 10.0.0.1", "`` | 10.0.0.1",
					"` ` | 10.0.0.1", ", | 10.0.0.1", ",10.0.0.2 | 10.0.0.2", "6.6.6.6, \"203.0.113.7\" | 10.0.0.1",
					"6.6.6.6, for=203.0.113.7 | 10.0.0.1", "6.6.6.6, localhost, 10.0.0.2 | 10.0.0.2",
					"6.6.6.6, 203.0.113.7;x | 10.0.0.1", "6.6.6.6, 203.0.113.7 203.0.113.8 | 10.0.0.1",
					"6.6.6.6 | 6.6.6.6", "6.6.6.6, \u2003203.0.113.7 | 10.0.0.1" })
	void readsXForwardedForFromItsEnd(String line, String client) {
		assertThat(of(X_FORWARDED_FOR, request(PROXY, X_FORWARDED_FOR, line))).isEqualTo(client);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "for=203.0.113.7 | 203.0.113.7", "For=\"203.0.113.7:5678\";proto=https | 203.0.113.7",
					"for=\"[2001:db8::1]:443\" | 2001:db8::1", "for=\"2001:db8::1\" | 2001:db8::1",
					"for=6.6.6.6, for=203.0.113.7 | 203.0.113.7", "for=203.0.113.7, for=10.0.0.2;by=_p | 203.0.113.7",
					"for=203.0.113.7,for=\"[2001:db8:aaaa::2]\" , for=10.0.0.2 | 203.0.113.7",
					"for=\"evil, for=203.0.113.7 | 203.0.113.7", "for=\"evil, for=\"203.0.113.7\" | 203.0.113.7",
					"for=\"evil\\, for=\"203.0.113.7\" | 203.0.113.7",
					"for=\"evil\\\\\", for=203.0.113.7 | 203.0.113.7",
					"\", for=203.0.113.7, for=\"10.0.0.2\" | 203.0.113.7", "\\\", for=203.0.113.7 | 203.0.113.7",
					"for=6.6.6.6, for=203.0.113.7;x=\", for=10.0.0.9\" | 203.0.113.7",
					"for=6.6.6.6, for=203.0.113.7;x=\"\\\", for=10.0.0.9\" | 203.0.113.7",
					"for=6.6.6.6, for=203.0.113.7;x=\"\\\\\" | 203.0.113.7", "for=10.0.0.3, for=10.0.0.2 | 10.0.0.3",
					"for=6.6.6.6, for=unknown, for=10.0.0.2 | 10.0.0.2", "for=6.6.6.6, for=_x | 10.0.0.1",
					"for=6.6.6.6, by=_p, for=10.0.0.2 | 10.0.0.2", "for=6.6.6.6, | 10.0.0.1",
					"for=6.6.6.6, , for=10.0.0.2 | 10.0.0.2", "`` | 10.0.0.1", ", | 10.0.0.1",
					"for=6.6.6.6, for=203.0.113.7;for=203.0.113.7 | 10.0.0.1", "for=6.6.6.6, 203.0.113.7 | 10.0.0.1",
					"for=6.6.6.6, for=203.0.113.7:80 | 10.0.0.1", "for=6.6.6.6, for=\"203.0.113.7 | 10.0.0.1",
					"for=6.6.6.6, for=203.0.113.7\" | 10.0.0.1", "for=6.6.6.6, for=\"\" | 10.0.0.1",
					"for=6.6.6.6, for=\" 203.0.113.7\" | 10.0.0.1", "for=6.6.6.6 | 6.6.6.6" })
	void readsForwardedFromItsEnd(String line, String client) {
		assertThat(of(FORWARDED, request(PROXY, FORWARDED, line))).isEqualTo(client);
	}

	@Test
	void readsTheLinesFromTheLastToTheFirst() {
		assertThat(of(X_FORWARDED_FOR, request(PROXY, X_FORWARDED_FOR, "6.6.6.6", "203.0.113.7, 10.0.0.3", "10.0.0.2")))
			.isEqualTo("203.0.113.7");
		assertThat(of(X_FORWARDED_FOR, request(PROXY, X_FORWARDED_FOR, "10.0.0.4", "10.0.0.3", "10.0.0.2")))
			.isEqualTo("10.0.0.4");
		assertThat(of(X_FORWARDED_FOR, request(PROXY, X_FORWARDED_FOR, "6.6.6.6", "", "10.0.0.2")))
			.isEqualTo("10.0.0.2");
	}

	@Test
	void readsEveryLineSeparately() {
		assertThat(of(FORWARDED, request(PROXY, FORWARDED, "for=203.0.113.7;x=\"a", "for=10.0.0.2;y=b\"")))
			.isEqualTo(PROXY);
		assertThat(of(FORWARDED, request(PROXY, FORWARDED, "for=\"evil", "for=\"203.0.113.7\"")))
			.isEqualTo("203.0.113.7");
		assertThat(of(FORWARDED, request(PROXY, FORWARDED, "for=203.0.113.7", "for=\"10.0.0.2\"")))
			.isEqualTo("203.0.113.7");
	}

	@Test
	void ipv6AddressesOfANetworkAreOneClientAndEachIpv4AddressIsAnother() {
		ClientAddresses addresses = new ClientAddresses(TRUSTED, X_FORWARDED_FOR, 56);
		assertThat(addresses.of(request("203.0.113.7", X_FORWARDED_FOR))).isEqualTo("203.0.113.7");
		assertThat(addresses.of(request(PROXY, X_FORWARDED_FOR, "2001:db8:1:ff::1"))).isEqualTo("2001:db8:1::/56");
		assertThat(addresses.of(request(PROXY, X_FORWARDED_FOR, "::ffff:203.0.113.7"))).isEqualTo("203.0.113.7");
		assertThat(addresses.of(request(PROXY, X_FORWARDED_FOR))).isEqualTo(PROXY);
	}

	@ParameterizedTest
	@CsvSource({ "64:ff9b::9.8.7.6, 9.8.7.6", "64:ff9b::808:707, 8.8.7.7", "2002:909:909::1, 9.9.9.9",
			"2002:909:909:ffff:1:2:3:4, 9.9.9.9", "2001:0:4136:e378:8000:63bf:f6f6:f6f6, 9.9.9.9",
			"2001:0:1:2:3:4:f6f6:f6f6, 9.9.9.9" })
	void embeddedIpv4AddressIsTreatedAsTheIpv4Address(String address, String client) {
		for (int ipv6Prefix : new int[] { 32, 48, 64, 128 }) {
			ClientAddresses addresses = new ClientAddresses(TRUSTED, X_FORWARDED_FOR, ipv6Prefix);
			assertThat(addresses.of(request(address, X_FORWARDED_FOR))).isEqualTo(client);
			assertThat(addresses.of(request(PROXY, X_FORWARDED_FOR, address))).isEqualTo(client);
			assertThat(addresses.client(address)).isEqualTo(client);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1",
			"169.254.1.1", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1",
			"198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
			"255.255.255.255" })
	void embeddedAddressesThatAreNotGlobalShareOneBucket(String special) {
		ClientAddresses addresses = new ClientAddresses(TRUSTED, X_FORWARDED_FOR, 128);
		long bits = Ipv4Literal.bits(special, 0, special.length());
		assertThat(addresses.client("64:ff9b::" + special)).isEqualTo("64:ff9b::/96");
		assertThat(addresses.client(new IpAddress(0x2002L << 48 | bits << 16 | 7, 9).toString()))
			.isEqualTo("2002::/16");
		assertThat(addresses.client(new IpAddress(0x20010000L << 32 | 5, ~bits).toString())).isEqualTo("2001::/32");
	}

	@ParameterizedTest
	@ValueSource(strings = { "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
			"128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255",
			"192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255" })
	void globalEmbeddedAddressNextToASpecialNetworkIsTheClient(String global) {
		assertThat(new ClientAddresses(TRUSTED, X_FORWARDED_FOR, 64).client("64:ff9b::" + global)).isEqualTo(global);
	}

	@ParameterizedTest
	@CsvSource({ "2002:a00:1::1, 2002::/16", "2002:7f00:1::1, 2002::/16", "64:ff9b::10.0.0.1, 64:ff9b::/96",
			"64:ff9b::127.0.0.1, 64:ff9b::/96", "2001:0:1:2:3:4:f5ff:fffe, 2001::/32" })
	void embeddedAddressOfATrustedProxyIsNotTrusted(String address, String client) {
		for (ForwardedHeader header : ForwardedHeader.values()) {
			assertThat(of(header, withoutHeaders(address))).isEqualTo(client);
		}
		assertThat(of(X_FORWARDED_FOR, request(PROXY, X_FORWARDED_FOR, "198.51.100.1, " + address))).isEqualTo(client);
		assertThat(of(FORWARDED, request(PROXY, FORWARDED, "for=198.51.100.1, for=\"[" + address + "]\"")))
			.isEqualTo(client);
	}

	@ParameterizedTest
	@CsvSource({ "64:ff9b:1::9.9.9.9, 64:ff9b:1::/64", "64:ff9b:0:0:1::9.9.9.9, 64:ff9b::/64", "::9.9.9.9, ::/64",
			"::ffff:0:9.9.9.9, ::/64", "2001:1::9.9.9.9, 2001:1::/64", "2003:909:909::1, 2003:909:909::/64",
			"2001:db8::9.9.9.9, 2001:db8::/64", "::ffff:10.0.0.1, 10.0.0.1", "::ffff:127.0.0.1, 127.0.0.1" })
	void otherAddressesAreNotReadAsEmbeddedAddresses(String address, String client) {
		assertThat(new ClientAddresses(TRUSTED, X_FORWARDED_FOR, 64).client(address)).isEqualTo(client);
	}

	@Test
	void trustedProxiesAreCopiedAtCreation() {
		List<IpNetwork> networks = new ArrayList<>(TRUSTED);
		ClientAddresses addresses = new ClientAddresses(networks, X_FORWARDED_FOR, 128);
		networks.clear();
		assertThat(addresses.of(request(PROXY, X_FORWARDED_FOR, "203.0.113.7"))).isEqualTo("203.0.113.7");
	}

	@ParameterizedTest
	@ValueSource(ints = { 32, 33, 127, 128 })
	void acceptsPrefixes(int ipv6Prefix) {
		assertThatNoException().isThrownBy(() -> new ClientAddresses(TRUSTED, FORWARDED, ipv6Prefix));
	}

	@ParameterizedTest
	@ValueSource(ints = { Integer.MIN_VALUE, -1, 0, 31, 129, Integer.MAX_VALUE })
	void rejectsOtherIpv6Prefixes(int prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> new ClientAddresses(TRUSTED, FORWARDED, prefix))
			.withMessage("The IPv6 prefix of clients must have 32 to 128 bits; 64 limits each network "
					+ "separately, 128 each address (was " + prefix + ")");
	}

	@ParameterizedTest
	@ValueSource(strings = { ",", "\"", "\\", "\\\"", "\",", "[", ":", ";", " ", "\t", "a", "for=\"", "\"\\\\\"",
			"10.0.0.2,", "for=10.0.0.2,", "x=\",\";for=10.0.0.2,", "::,", "é" })
	void takesTimeInProportionToTheLengthOfTheHeader(String piece) {
		String line = piece.repeat(500_000 / piece.length());
		for (ForwardedHeader header : ForwardedHeader.values()) {
			for (String end : List.of("", ",10.0.0.2", ",for=10.0.0.2", "10.0.0.2", "for=10.0.0.2", "\"")) {
				MockHttpServletRequest request = request(PROXY, header, line + end);
				assertThat(of(header, request)).isNotNull();
			}
		}
	}

	private static @Nullable String of(ForwardedHeader header, HttpServletRequest request) {
		return new ClientAddresses(TRUSTED, header, 128).of(request);
	}

	private static MockHttpServletRequest request(String remote, ForwardedHeader header, String... lines) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.setRemoteAddr(remote);
		Arrays.stream(lines).forEach((line) -> request.addHeader(header.headerName(), line));
		return request;
	}

	private static HttpServletRequest withRemote(@Nullable String remote) {
		return new HttpServletRequestWrapper(new MockHttpServletRequest()) {

			@Override
			public @Nullable String getRemoteAddr() {
				return remote;
			}

		};
	}

	private static HttpServletRequest withoutHeaders(String remote) {
		return new HttpServletRequestWrapper(request(remote, FORWARDED)) {

			@Override
			public Enumeration<String> getHeaders(String name) {
				throw new AssertionError("The header " + name + " was read");
			}

		};
	}

	private static HttpServletRequest withDeniedHeaders(String remote) {
		return new HttpServletRequestWrapper(request(remote, FORWARDED)) {

			@Override
			public @Nullable Enumeration<String> getHeaders(String name) {
				return null;
			}

		};
	}

}
