package io.tierlimit.address;

import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class IpAddressTests {

	/** The longest run of zero groups is written as a gap. */
	@ParameterizedTest
	@CsvSource({ "192.0.2.1, 192.0.2.1", "0.0.0.0, 0.0.0.0", "255.255.255.255, 255.255.255.255", "::, ::", "::1, ::1",
			"1::, 1::", "0:0:0:0:0:0:0:0, ::", "2001:DB8::00aB, 2001:db8::ab", "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
			"2001:0db8:0000:0000:0000:0000:0000:0001, 2001:db8::1", "64:ff9b::192.0.2.1, 64:ff9b::c000:201",
			"::1.2.3.4, ::102:304", "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304", "fe80::1%eth0, fe80::1",
			"fe80::1%2, fe80::1", "fe80::1%br-lan.100_a~, fe80::1", "fe80::%1, fe80::",
			"2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1", "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
			"2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1", "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
			"::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8", "0:0:3:4:5:6:0:0, ::3:4:5:6:0:0", "1:0:0:4:5:0:0:0, 1:0:0:4:5::",
			"a000:b00:c0:d:0:10:100:1000, a000:b00:c0:d:0:10:100:1000" })
	void readsAnAddressAndWritesItsCanonicalForm(String text, String canonical) {
		assertThat(IpAddress.parse(text)).isNotNull().hasToString(canonical);
	}

	@ParameterizedTest
	@ValueSource(strings = { "::ffff:192.0.2.1", "::FFFF:192.0.2.1", "::ffff:c000:201", "0:0:0:0:0:ffff:192.0.2.1",
			"0000:0000:0000:0000:0000:ffff:c000:0201", "0::ffff:192.0.2.1", "::0:ffff:c000:201",
			"::ffff:192.0.2.1%eth0" })
	void readsAnIpv4MappedAddressAsTheIpv4Address(String text) {
		assertThat(IpAddress.parse(text)).isNotNull()
			.isEqualTo(IpAddress.parse("192.0.2.1"))
			.hasSameHashCodeAs(IpAddress.parse("192.0.2.1"))
			.hasToString("192.0.2.1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "::192.0.2.1", "::fffe:192.0.2.1", "1::ffff:192.0.2.1", "::ffff:0:192.0.2.1",
			"ffff::192.0.2.1" })
	void readsNoOtherAddressAsAnIpv4Address(String text) {
		assertThat(IpAddress.parse(text)).isNotNull().matches((address) -> !address.isIpv4());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "1", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4.", "256.1.1.1",
			"1.1.1.256", "1.1.1.1000", "01.2.3.4", "1.2.3.00", "1.2.3.4 ", " 1.2.3.4", "-1.2.3.4", "+1.2.3.4",
			"0x1.2.3.4", "1.2.3.4%eth0", "1.2.3.4/32", "1.2.3.4:80", "16909060", "\u0661.2.3.4", "\uff11.2.3.4",
			"localhost", "example.org", "unknown", "_x", "99999999999999999999.1.1.1", ":", ":::", "1:::2", "::1::",
			"1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", ":1::", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:", "::1:",
			"1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1:2:3:4::5:6:7:8", "12345::", "00001::", "g::",
			"1:2:3:4:5:6:7:1.2.3.4", "::1.2.3", "::1.2.3.4.5", "::1.2.3.4:5", "1.2.3.4::", "::01.2.3.4", "::1.2.3.256",
			"::a.2.3.4", "::1.2.3.4.", "::.1.2.3", "fe80::1%", "%eth0", "::%", "fe80::1%a b", "fe80::1%a%b",
			"fe80::1%é", "[::1]", "::1 ", " ::1", "::1/128", "::-1", "::\u0661", "::\uff41", "1:2", "a:80", ".:",
			".::1", "::1.", "::.", "::0001.2.3.4", "::1.02.3.4", "::0x1.2.3.4", "::1.2.3.4%", "0:0:0:0:0:0:0:00001",
			"1:2:3:4:5:6:7:8%eth0%", "::ffff:1.2.3.4.5", "::ffff:010.1.1.1", "::ffff:1.2.3", "[::1", "::1]",
			"[::1%eth0]", "::\u0000", "a.b::1", "example.org:80", "www.example.org::" })
	void readsNothingElse(String text) {
		assertThat(IpAddress.parse(text)).isNull();
	}

	@Test
	void readsNoStringThatIsLongerThanAnAddressWithAZone() {
		assertThat(IpAddress.parse("fe80::1%" + "a".repeat(92))).isNotNull();
		assertThat(IpAddress.parse("fe80::1%" + "a".repeat(93))).isNull();
		assertThat(IpAddress.parse("1".repeat(10_000_000))).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "203.0.113.77, 32, 203.0.113.77", "203.0.113.77, 24, 203.0.113.0/24", "203.0.113.77, 8, 203.0.0.0/8",
			"203.0.113.77, 31, 203.0.113.76/31", "203.0.113.77, 0, 0.0.0.0/0",
			"::ffff:203.0.113.77, 24, 203.0.113.0/24", "2001:db8:1:2:3:4:5:6, 128, 2001:db8:1:2:3:4:5:6",
			"2001:db8:1:2:3:4:5:6, 64, 2001:db8:1:2::/64", "2001:db8:1:2:3:4:5:6, 56, 2001:db8:1::/56",
			"2001:db8:1:2:3:4:5:6, 32, 2001:db8::/32", "2001:db8:1:2:3:4:5:7, 127, 2001:db8:1:2:3:4:5:6/127",
			"2001:db8:1:2:ffff:4:5:6, 65, 2001:db8:1:2:8000::/65", "2001:db8:1:3:3:4:5:6, 63, 2001:db8:1:2::/63",
			"ffff::, 0, ::/0", "::1, 64, ::/64", "::fffe:1.2.3.4, 95, ::fffe:0:0/95" })
	void returnsTheNetworkOfAnAddress(String text, int prefix, String network) {
		assertThat(parse(text).network(prefix)).isEqualTo(network);
	}

	private static IpAddress parse(String text) {
		return Objects.requireNonNull(IpAddress.parse(text), text);
	}

}
