package io.tierlimit.address;

import java.math.BigInteger;
import java.util.Objects;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class IpNetworkTests {

	@ParameterizedTest
	@CsvSource({ "10.0.0.0/8, 10.0.0.0/8", "192.0.2.1, 192.0.2.1", "192.0.2.1/32, 192.0.2.1", "0.0.0.0/0, 0.0.0.0/0",
			"2001:DB8:0::/32, 2001:db8::/32", "::1, ::1", "::1/128, ::1", "::/0, ::/0", "' 10.0.0.0/8 ', 10.0.0.0/8",
			"::ffff:10.0.0.0/104, 10.0.0.0/8", "::ffff:10.0.0.1, 10.0.0.1", "::ffff:10.0.0.1/128, 10.0.0.1",
			"::ffff:0:0/96, 0.0.0.0/0", "2001:db8::8000:0:0:0/65, 2001:db8:0:0:8000::/65" })
	void readsANetworkAndWritesItsCanonicalForm(String text, String canonical) {
		assertThat(IpNetwork.parse(text)).hasToString(canonical)
			.isEqualTo(IpNetwork.parse(canonical))
			.hasSameHashCodeAs(IpNetwork.parse(canonical));
	}

	@Test
	void differsFromANetworkOfOtherBitsOrFamily() {
		assertThat(IpNetwork.parse("10.0.0.0/8")).isNotEqualTo(IpNetwork.parse("10.0.0.0/9"))
			.isNotEqualTo(IpNetwork.parse("11.0.0.0/8"))
			.isNotEqualTo("10.0.0.0/8");
		assertThat(IpNetwork.parse("0.0.0.0/0")).isNotEqualTo(IpNetwork.parse("::/0"));
	}

	@ParameterizedTest
	@CsvSource({ "10.0.0.0/8, 10.0.0.0", "10.0.0.0/8, 10.255.255.255", "10.0.0.0/8, ::ffff:10.1.2.3",
			"192.0.2.1, 192.0.2.1", "192.0.2.0/31, 192.0.2.1", "0.0.0.0/0, 255.255.255.255", "0.0.0.0/0, 0.0.0.0",
			"2001:db8::/32, 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8:0:0:8000::/65, 2001:db8::8000:0:0:1",
			"::1, ::1", "::/0, ffff::", "::/0, ::", "fe80::/10, fe80::1%eth0", "::ffff:10.0.0.0/104, 10.1.2.3" })
	void containsTheAddressesThatShareItsPrefix(String network, String address) {
		assertThat(IpNetwork.parse(network).contains(address(address))).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "10.0.0.0/8, 11.0.0.0", "10.0.0.0/8, 9.255.255.255", "192.0.2.1, 192.0.2.0", "192.0.2.0/31, 192.0.2.2",
			"2001:db8::/32, 2001:db9::", "2001:db8::/32, 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "::1, ::2",
			"2001:db8:0:0:8000::/65, 2001:db8::7fff:0:0:1", "10.0.0.0/8, ::10.0.0.1", "10.0.0.0/8, a00::",
			"::/0, 10.0.0.1", "::/0, ::ffff:10.0.0.1", "::/64, 10.0.0.1", "0.0.0.0/0, ::1", "0.0.0.0/0, ::" })
	void containsNoOtherAddress(String network, String address) {
		assertThat(IpNetwork.parse(network).contains(address(address))).isFalse();
	}

	@Test
	void containsAnAddressExactlyIfItsPrefixIsEqual() {
		Random random = new Random(13);
		for (int i = 0; i < 100_000; i++) {
			IpAddress address = new IpAddress(random.nextLong(), random.nextLong());
			int prefix = random.nextInt(129);
			IpNetwork network = IpNetwork.parse(address.network(prefix));
			int bit = random.nextInt(128);
			long high = (bit < 64) ? address.high() ^ (Long.MIN_VALUE >>> bit) : address.high();
			long low = (bit < 64) ? address.low() : address.low() ^ (Long.MIN_VALUE >>> (bit - 64));
			IpAddress other = new IpAddress(high, low);
			int shift = 128 - prefix;
			assertThat(number(address.base(prefix))).isEqualTo(number(address).shiftRight(shift).shiftLeft(shift));
			assertThat(network.contains(address)).isTrue();
			assertThat(network.contains(other)).as(network + " " + other).isEqualTo(bit >= prefix);
		}
	}

	@ParameterizedTest
	@CsvSource({ "0.0.0.0/0, true", "::/0, true", "::ffff:0:0/96, true", "0.0.0.0/1, false", "::/1, false",
			"0.0.0.0, false", "::, false" })
	void containsEverythingIfItsPrefixIsZero(String text, boolean everything) {
		assertThat(IpNetwork.parse(text).isEverything()).isEqualTo(everything);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "/", "/8", "10/8", "10.0.0/8", "10.0.0.0.0/8", "localhost", "proxy.example.org/8",
			"10.0.0.0 /8", "010.0.0.0/8", "10.*.*.*", "10.0.0.1-10.0.0.9", "[::1]", "::1%eth0", "fe80::%eth0/64",
			"10.0.0.0:80/8" })
	void rejectsAnInvalidNetworkAndNamesTheFormat(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> IpNetwork.parse(text))
			.withMessage("'" + text + "' is not a valid network: write an address and a prefix, such as 10.0.0.0/8 or "
					+ "2001:db8::/32, or an address alone; names and zones are not supported");
	}

	@ParameterizedTest
	@CsvSource({ "10.0.0.0/33, 32, 33", "10.0.0.0/, 32, ''", "10.0.0.0/-1, 32, -1", "10.0.0.0/08, 32, 08",
			"10.0.0.0/00, 32, 00", "10.0.0.0/8/8, 32, 8/8", "10.0.0.0/ 8, 32, ' 8'", "10.0.0.0/+8, 32, +8",
			"10.0.0.0/255.0.0.0, 32, 255.0.0.0", "10.0.0.0/٨, 32, ٨", "10.0.0.0/99999999999, 32, 99999999999",
			"2001:db8::/129, 128, 129", "2001:db8::/x, 128, x", "::ffff:10.0.0.0/129, 128, 129" })
	void rejectsAPrefixOutsideOfTheAcceptedNumbers(String text, int most, String prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> IpNetwork.parse(text))
			.withMessage("'" + text + "' must have a prefix of 0 to " + most + " bits, not '" + prefix + "'");
	}

	@ParameterizedTest
	@CsvSource({ "10.1.2.3/8, 10.0.0.0/8", "192.0.2.1/31, 192.0.2.0/31", "10.0.0.1/0, 0.0.0.0/0",
			"2001:db8::1/32, 2001:db8::/32", "2001:DB8::1/127, 2001:db8::/127", "::ffff:10.1.2.3/104, 10.0.0.0/8" })
	void rejectsBitsBelowThePrefixAndNamesTheCorrectNetwork(String text, String network) {
		assertThatIllegalArgumentException().isThrownBy(() -> IpNetwork.parse(text))
			.withMessage("'" + text + "' has bits below its prefix: write " + network);
	}

	@ParameterizedTest
	@ValueSource(strings = { "::ffff:0:0/95", "::ffff:10.0.0.0/8", "::ffff:10.0.0.1/0", "0:0:0:0:0:ffff:0:0/80" })
	void rejectsAnIpv4MappedNetworkWiderThanIpv4(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> IpNetwork.parse(text))
			.withMessage("'" + text + "' is wider than all IPv4 addresses, which are ::ffff:0:0/96: "
					+ "write the IPv4 network, such as 10.0.0.0/8");
	}

	private static BigInteger number(IpAddress address) {
		return new BigInteger(Long.toUnsignedString(address.high())).shiftLeft(64)
			.add(new BigInteger(Long.toUnsignedString(address.low())));
	}

	private static IpAddress address(String text) {
		return Objects.requireNonNull(IpAddress.parse(text), text);
	}

}
