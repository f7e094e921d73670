package io.tierlimit.application;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.tierlimit.application.RawHttp.Reply;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A container throws only once for parameters that it cannot read. If the application
 * catches this exception, the container returns the other parameters. Tests that this
 * does not bypass a rule.
 */
@Tag("slow")
class MalformedParametersTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@ParameterizedTest
	@EnumSource
	void keyIsNotMissing(Malformed malformed) {
		start("account.key=param('username')", "account.on-missing-key=skip", "account.rate=2/d");
		for (int i = 0; i < 5; i++) {
			assertThat(form("/home", malformed.body()).status()).isEqualTo(400);
		}
		assertThat(form("/home", "username=victim").status()).isEqualTo(200);
		assertThat(form("/home", "username=victim").status()).isEqualTo(200);
		assertThat(form("/home", "username=victim").status()).isEqualTo(429);
		assertThat(form("/home", malformed.body()).status()).isEqualTo(400);
	}

	@ParameterizedTest
	@EnumSource
	void exceptionIsNotLostIfAShadowRuleHasReadTheParameters(Malformed malformed) {
		start("first.key=param('x')", "first.mode=shadow", "first.rate=1/d", "second.rate=1/d");
		assertThat(form("/home", malformed.body()).status()).isEqualTo(400);
		assertThat(this.application.consumed("second", "")).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void costIsNotTheLeast(Malformed malformed) {
		start("orders.cost=param('express') != null ? 3 : 1", "orders.rate=1/d", "orders.burst=100");
		assertThat(form("/home", malformed.body() + "&express=1").status()).isEqualTo(400);
		assertThat(this.application.consumed("orders", "")).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void handlerIsNotUnknown(Malformed malformed) {
		start("endpoint.scope=endpoint", "endpoint.rate=1/d", "endpoint.burst=100");
		assertThat(form("/form", malformed.body()).status()).isEqualTo(400);
		assertThat(this.application.consumed("endpoint", "unmapped")).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void responseIsTheSameWithoutARuleThatReadsTheParameters(Malformed malformed) {
		start("all.rate=100/d");
		assertThat(form("/form", malformed.body()).status()).isIn(400, 413);
	}

	private void start(String... rules) {
		this.application = applications.start(ForwardApplication.class, RunningApplication.rules(rules),
				"server.tomcat.max-http-form-post-size=20KB", "server.jetty.max-http-form-post-size=20KB",
				"tierlimit.keys.secret=long-enough-for-a-test-of-keys");
	}

	private Reply form(String path, String body) {
		return this.application.raw()
			.send("POST " + path + " HTTP/1.1",
					"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + body.length() + "\r\n",
					body);
	}

	enum Malformed {

		ESCAPE("x=1&username=victim&a=%zz"),

		TOO_MANY("x=1&username=victim&"
				+ IntStream.range(0, 1500).mapToObj((i) -> "a" + i + "=1").collect(Collectors.joining("&"))),

		TOO_LONG("x=1&username=victim&a=" + "b".repeat(30_000));

		private final String body;

		Malformed(String body) {
			this.body = body;
		}

		String body() {
			return this.body;
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
