package io.tierlimit.web.address;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

import static io.tierlimit.web.address.ForwardedHeader.FORWARDED;
import static io.tierlimit.web.address.ForwardedHeader.X_FORWARDED_FOR;
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
	void senderCountsUnlessItIsATrustedProxy(String remote, String client) {
		for (ForwardedHeader header : ForwardedHeader.values()) {
			HttpServletRequest request = request(remote, header, "for=198.51.100.1", "198.51.100.1");
			assertThat(new ClientAddresses(TRUSTED, header, 32, 128).of(request)).isEqualTo(client);
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
		assertThat(new ClientAddresses(List.of(), header, 32, 128).of(withoutHeaders(PROXY))).isEqualTo(PROXY);
	}

	@Test
	void readsNoOtherHeader() {
		MockHttpServletRequest request = request(PROXY, FORWARDED, "for=198.51.100.1");
		request.addHeader("X-Forwarded-For", "203.0.113.7");
		assertThat(of(FORWARDED, request)).isEqualTo("198.51.100.1");
		assertThat(of(X_FORWARDED_FOR, request)).isEqualTo("203.0.113.7");
	}

	@ParameterizedTest
	@EnumSource
	void trustedSenderCountsIfThereIsNoHeader(ForwardedHeader header) {
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
	void walksXForwardedForFromItsEnd(String line, String client) {
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
	void walksForwardedFromItsEnd(String line, String client) {
		assertThat(of(FORWARDED, request(PROXY, FORWARDED, line))).isEqualTo(client);
	}

	@Test
	void walksTheLinesFromTheLastToTheFirst() {
		assertThat(of(X_FORWARDED_FOR, request(PROXY, X_FORWARDED_FOR, "6.6.6.6", "203.0.113.7, 10.0.0.3", "10.0.0.2")))
			.isEqualTo("203.0.113.7");
		assertThat(of(X_FORWARDED_FOR, request(PROXY, X_FORWARDED_FOR, "10.0.0.4", "10.0.0.3", "10.0.0.2")))
			.isEqualTo("10.0.0.4");
		assertThat(of(X_FORWARDED_FOR, request(PROXY, X_FORWARDED_FOR, "6.6.6.6", "", "10.0.0.2")))
			.isEqualTo("10.0.0.2");
	}

	@Test
	void readsEveryLineByItself() {
		assertThat(of(FORWARDED, request(PROXY, FORWARDED, "for=203.0.113.7;x=\"a", "for=10.0.0.2;y=b\"")))
			.isEqualTo(PROXY);
		assertThat(of(FORWARDED, request(PROXY, FORWARDED, "for=\"evil", "for=\"203.0.113.7\"")))
			.isEqualTo("203.0.113.7");
		assertThat(of(FORWARDED, request(PROXY, FORWARDED, "for=203.0.113.7", "for=\"10.0.0.2\"")))
			.isEqualTo("203.0.113.7");
	}

	@Test
	void addressesOfANetworkCountAsOne() {
		ClientAddresses addresses = new ClientAddresses(TRUSTED, X_FORWARDED_FOR, 24, 56);
		assertThat(addresses.of(request("203.0.113.7", X_FORWARDED_FOR))).isEqualTo("203.0.113.0/24");
		assertThat(addresses.of(request(PROXY, X_FORWARDED_FOR, "2001:db8:1:ff::1"))).isEqualTo("2001:db8:1::/56");
		assertThat(addresses.of(request(PROXY, X_FORWARDED_FOR, "::ffff:203.0.113.7"))).isEqualTo("203.0.113.0/24");
		assertThat(addresses.of(request(PROXY, X_FORWARDED_FOR))).isEqualTo("10.0.0.0/24");
	}

	@Test
	void trustedProxiesAreThoseAtTheStart() {
		List<IpNetwork> networks = new ArrayList<>(TRUSTED);
		ClientAddresses addresses = new ClientAddresses(networks, X_FORWARDED_FOR, 32, 128);
		networks.clear();
		assertThat(addresses.of(request(PROXY, X_FORWARDED_FOR, "203.0.113.7"))).isEqualTo("203.0.113.7");
	}

	@ParameterizedTest
	@ValueSource(ints = { 8, 9, 31, 32 })
	void acceptsIpv4Prefixes(int prefix) {
		assertThatNoException().isThrownBy(() -> new ClientAddresses(TRUSTED, FORWARDED, prefix, 64));
	}

	@ParameterizedTest
	@ValueSource(ints = { 32, 33, 127, 128 })
	void acceptsIpv6Prefixes(int prefix) {
		assertThatNoException().isThrownBy(() -> new ClientAddresses(TRUSTED, FORWARDED, 32, prefix));
	}

	@ParameterizedTest
	@ValueSource(ints = { Integer.MIN_VALUE, -1, 0, 7, 33, 64, Integer.MAX_VALUE })
	void refusesOtherIpv4Prefixes(int prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> new ClientAddresses(TRUSTED, FORWARDED, prefix, 64))
			.withMessage("Clients need an IPv4 prefix of 8 to 32 bits but had " + prefix
					+ ": write 32 to count every address by itself");
	}

	@ParameterizedTest
	@ValueSource(ints = { Integer.MIN_VALUE, -1, 0, 31, 129, Integer.MAX_VALUE })
	void refusesOtherIpv6Prefixes(int prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> new ClientAddresses(TRUSTED, FORWARDED, 32, prefix))
			.withMessage("Clients need an IPv6 prefix of 32 to 128 bits but had " + prefix
					+ ": write 64 to count every network by itself, 128 for every address");
	}

	@ParameterizedTest
	@ValueSource(strings = { ",", "\"", "\\", "\\\"", "\",", "[", ":", ";", " ", "\t", "a", "for=\"", "\"\\\\\"",
			"10.0.0.2,", "for=10.0.0.2,", "x=\",\";for=10.0.0.2,", "::,", "é" })
	void takesTimeInProportionToTheLengthOfTheHeader(String piece) {
		String line = piece.repeat(2_000_000 / piece.length());
		for (ForwardedHeader header : ForwardedHeader.values()) {
			for (String end : List.of("", ",10.0.0.2", ",for=10.0.0.2", "10.0.0.2", "for=10.0.0.2", "\"")) {
				MockHttpServletRequest request = request(PROXY, header, line + end);
				assertThat(of(header, request)).isNotNull();
			}
		}
	}

	private static @Nullable String of(ForwardedHeader header, HttpServletRequest request) {
		return new ClientAddresses(TRUSTED, header, 32, 128).of(request);
	}

	private static MockHttpServletRequest request(String remote, ForwardedHeader header, String... lines) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.setRemoteAddr(remote);
		Arrays.stream(lines).forEach((line) -> request.addHeader(header.fieldName(), line));
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
