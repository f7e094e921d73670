package io.tierlimit.web.proxy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class NodeAddressTests {

	@ParameterizedTest
	@CsvSource({ "192.0.2.1, 192.0.2.1", "192.0.2.1:1, 192.0.2.1", "192.0.2.1:65535, 192.0.2.1",
			"192.0.2.1:_x, 192.0.2.1", "192.0.2.1:_a.B-9_, 192.0.2.1", "2001:db8::1, 2001:db8::1", "::1, ::1",
			"2001:db8::1:443, 2001:db8::1:443", "[2001:db8::1], 2001:db8::1", "[2001:DB8::1]:443, 2001:db8::1",
			"[2001:db8::1]:_x, 2001:db8::1", "fe80::1%eth0, fe80::1", "[fe80::1%eth0], fe80::1",
			"[fe80::1%eth0]:443, fe80::1", "::ffff:192.0.2.1, 192.0.2.1", "[::ffff:192.0.2.1]:443, 192.0.2.1" })
	void readsTheAddressWithoutBracketsAndPort(String node, String address) {
		assertThat(NodeAddress.parse(node)).isNotNull().hasToString(address);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "unknown", "unknown:80", "_x", "_x:80", ":80", ":", "192.0.2.1:", "192.0.2.1:123456",
			"192.0.2.1:_", "192.0.2.1:_a b", "192.0.2.1:_é", "192.0.2.1:8o", "192.0.2.1:-1", "192.0.2.1:٨",
			"192.0.2.1:80:80", "192.0.2.1 ", " 192.0.2.1", "192.0.2.1: 80", "[192.0.2.1]", "[192.0.2.1]:80", "[", "]",
			"[]", "[]:80", "[2001:db8::1", "2001:db8::1]", "[2001:db8::1]]", "[[2001:db8::1]]", "[2001:db8::1]x",
			"[2001:db8::1]80", "[2001:db8::1]:", "[2001:db8::1]:123456", "[2001:db8::1]:80:80", "[2001:db8::1] ",
			"[ 2001:db8::1]", "[fe80::1%]", "localhost", "localhost:80", "\"192.0.2.1\"", "192.0.2.1;", "192.0.2.1,",
			"for=192.0.2.1" })
	void readsNothingElse(String node) {
		assertThat(NodeAddress.parse(node)).isNull();
	}

	@Test
	void readsNoAddressInALongText() {
		assertThat(NodeAddress.parse("[".repeat(10_000))).isNull();
		assertThat(NodeAddress.parse("1".repeat(10_000) + ":80")).isNull();
		assertThat(NodeAddress.parse("192.0.2.1:" + "1".repeat(10_000))).isNull();
		assertThat(NodeAddress.parse("[" + ":".repeat(10_000) + "]")).isNull();
	}

}
