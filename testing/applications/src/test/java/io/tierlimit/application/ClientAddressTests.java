package io.tierlimit.application;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests client addresses over real connections. The test is the proxy.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class ClientAddressTests {

	private static final String[] TRUST = { "tierlimit.client-ip.trusted-proxies=127.0.0.1,::1,10.0.0.0/8" };

	private static final String WARNING = "but no proxy is trusted";

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@Test
	void withoutTrustedProxiesHeadersAreIgnoredAndAWarningIsLogged(CapturedOutput output) {
		start();
		this.application.get("/any");
		assertThat(output).doesNotContain(WARNING);
		for (int i = 0; i < 5; i++) {
			this.application.get("/any", "X-Forwarded-For", "203.0.113." + i, "Forwarded", "for=203.0.113." + i);
		}
		assertThat(this.application.consumed("address", "127.0.0.1")).isEqualTo(6);
		assertThat(output).containsOnlyOnce(WARNING);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			2001:db8:1:2:3:4:5:6     | 2001:db8:1:2::/64
			192.0.2.66, 203.0.113.7, 10.1.2.3 | 203.0.113.7
			::ffff:203.0.113.7       | 203.0.113.7
			64:ff9b::127.0.0.1       | 64:ff9b::/64
			unknown                  | 127.0.0.1
			""")
	void clientOfATrustedProxyIsTheLastAddressCutToItsPrefix(String forwarded, String key, CapturedOutput output) {
		start(TRUST);
		this.application.get("/any", "X-Forwarded-For", forwarded, "Forwarded", "for=192.0.2.66");
		assertThat(this.application.consumed("address", key)).isEqualTo(1);
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void headerAndPrefixAreConfigurable() {
		start(RunningApplication.with(TRUST, "tierlimit.client-ip.header=forwarded",
				"tierlimit.client-ip.ipv6-prefix=128"));
		this.application.get("/any", "Forwarded", "for=192.0.2.66, for=203.0.113.7;proto=https", "X-Forwarded-For",
				"192.0.2.66");
		this.application.get("/any", "Forwarded", "For=\"[2001:db8::1]:4711\"");
		assertThat(this.application.consumed("address", "203.0.113.7")).isEqualTo(1);
		assertThat(this.application.consumed("address", "2001:db8::1")).isEqualTo(1);
	}

	private void start(String... properties) {
		this.application = applications.start(TestApplication.class, properties, "tierlimit.rules.address.scope=ip",
				"tierlimit.rules.address.rate=1/d", "tierlimit.rules.address.burst=100");
	}

}
