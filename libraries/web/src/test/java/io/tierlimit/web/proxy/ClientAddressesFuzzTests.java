package io.tierlimit.web.proxy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.tierlimit.address.IpNetwork;
import io.tierlimit.junit.Rounds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

class ClientAddressesFuzzTests {

	private static final int RUNS = Rounds.of(20_000, 100_000);

	private static final List<IpNetwork> TRUSTED = List.of(IpNetwork.parse("10.0.0.0/8"),
			IpNetwork.parse("2001:db8:aaaa::/48"));

	private static final String PROXY = "10.0.0.1";

	private static final String[] FRAGMENTS = { "10.0.0.2", "10.9.9.9", "6.6.6.6", "203.0.113.66", "::ffff:10.0.0.3",
			"2001:db8:aaaa::5", "2001:db8:aaab::5", "fe80::1%eth0", "[2001:db8:aaaa::6]", "[2001:db8::66]", "::", "[",
			"]", "\"", "\"", "\"", "\\", "\\", "\\\"", "\\\\", ",", ",", ",", ", ", " ,\t", ";", ";", "=", "for=",
			"for=", "for=\"", "For=\"", ";for=", "by=_p", ";proto=https", ";host=\"a,b\"", "x=\"", ":80", ":_p",
			":123456", "_x", "unknown", "", " ", "\t", "%", "garbage", "0", "é", "ſ", "\u2003", "\u0000", "\u007f", "/",
			"for=10.0.0.4", "for=\"10.0.0.4\",", "for=6.6.6.6,", "for=\"[2001:db8:aaaa::7]:80\", ", "10.0.0.5, " };

	@ParameterizedTest
	@EnumSource
	void readsAnyHeaderAccordingToTheGrammar(ForwardedHeader header) {
		Random random = new Random(21);
		ClientAddresses addresses = new ClientAddresses(TRUSTED, header, 128);
		Set<String> answers = new HashSet<>();
		for (int i = 0; i < RUNS; i++) {
			List<String> lines = random.nextBoolean() ? lines(random) : linesWithAMistake(header, random);
			String answer = addresses.of(request(header, lines));
			assertThat(answer).as("%s", lines).isEqualTo(HeaderOracle.client(header, PROXY, lines));
			answers.add(answer);
		}
		assertThat(answers).contains(PROXY, "10.0.0.2", "6.6.6.6", "2001:db8:aaaa::9", "2001:db8::1", "fe80::1");
	}

	@ParameterizedTest
	@EnumSource
	void readsOnlyTextThatTrustedProxiesWrote(ForwardedHeader header) {
		Random random = new Random(22);
		ClientAddresses addresses = new ClientAddresses(TRUSTED, header, 128);
		Set<String> answers = new HashSet<>();
		for (int i = 0; i < RUNS; i++) {
			ProxyChain chain = new ProxyChain(header, random);
			List<String> lines = chain.appendTo(lines(random));
			assertThat(addresses.of(request(header, lines))).as("%s", lines).isEqualTo(chain.client());
			answers.add(chain.client());
		}
		assertThat(answers).contains(PROXY).hasSizeGreaterThan(10);
	}

	private static List<String> lines(Random random) {
		List<String> lines = new ArrayList<>();
		for (int count = random.nextInt(4); count > 0; count--) {
			StringBuilder line = new StringBuilder();
			for (int fragments = random.nextInt(12); fragments > 0; fragments--) {
				line.append(FRAGMENTS[random.nextInt(FRAGMENTS.length)]);
			}
			lines.add(line.toString());
		}
		return lines;
	}

	private static List<String> linesWithAMistake(ForwardedHeader header, Random random) {
		List<String> lines = new ProxyChain(header, random).appendTo(lines(random));
		int line = random.nextInt(lines.size());
		StringBuilder text = new StringBuilder(lines.get(line));
		int start = random.nextInt(text.length() + 1);
		int end = Math.min(text.length(), start + random.nextInt(3));
		text.replace(start, end, FRAGMENTS[random.nextInt(FRAGMENTS.length)]);
		lines.set(line, text.toString());
		return lines;
	}

	private static MockHttpServletRequest request(ForwardedHeader header, List<String> lines) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.setRemoteAddr(PROXY);
		lines.forEach((line) -> request.addHeader(header.headerName(), line));
		return request;
	}

}
