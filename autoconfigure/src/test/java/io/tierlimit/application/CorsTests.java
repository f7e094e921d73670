package io.tierlimit.application;

import io.tierlimit.application.RawHttp.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class CorsTests {

	private static final String ONE_REQUEST = "tierlimit.rules.r.rate=1/d";

	private RunningApplication application;

	private RawHttp server;

	@AfterEach
	void stop() {
		this.application.close();
	}

	@ParameterizedTest
	@CsvSource({ "/by-bean/data, https://bean.example", "/by-mapping/data, https://mapping.example",
			"/by-annotation/data, https://annotation.example" })
	void refusalCanBeReadByTheOriginsThatMayReadTheAnswer(String path, String origin) {
		start(ONE_REQUEST);
		Reply allowed = get(path, origin);
		Reply refused = get(path, origin);
		assertThat(allowed.status()).isEqualTo(200);
		assertThat(refused.status()).isEqualTo(429);
		assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo(origin)
			.isEqualTo(allowed.header("Access-Control-Allow-Origin"));
		for (String field : new String[] { "Access-Control-Allow-Credentials", "Access-Control-Expose-Headers",
				"Vary" }) {
			assertThat(refused.header(field)).as(field).isEqualTo(allowed.header(field));
		}
	}

	@ParameterizedTest
	@CsvSource({ "/by-bean/data", "/by-mapping/data", "/by-annotation/data", "/same-origin/data", "/nowhere" })
	void refusalCanNotBeReadByOthers(String path) {
		start("tierlimit.rules.r.rate=2/d");
		get(path, "https://evil.example");
		get(path, "https://evil.example");
		Reply refused = get(path, "https://evil.example");
		assertThat(refused.status()).isEqualTo(429);
		assertThat(refused.text()).doesNotContain("Access-Control-Allow-Origin");
	}

	@Test
	void refusalByAnAnnotationCanBeReadToo() {
		start("tierlimit.rules.other.rate=1/s");
		get("/by-annotation/limited", "https://annotation.example");
		this.application.reset("other", "");
		Reply refused = get("/by-annotation/limited", "https://annotation.example");
		assertThat(refused.status()).isEqualTo(429);
		assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("https://annotation.example");
	}

	@ParameterizedTest
	@CsvSource({ "/by-bean/data, https://bean.example", "/by-mapping/data, https://mapping.example",
			"/by-annotation/data, https://annotation.example", "/by-bean/data, https://evil.example" })
	void preflightIsNotCharged(String path, String origin) {
		start(ONE_REQUEST);
		for (int i = 0; i < 3; i++) {
			Reply preflight = preflight(path, origin);
			assertThat(preflight.status()).isEqualTo(origin.contains("evil") ? 403 : 200);
			assertThat(preflight.header("RateLimit")).isEmpty();
		}
		assertThat(get(path, origin).header("RateLimit")).contains("r=0");
	}

	@Test
	void ruleThatNamesOptionsHoldsPreflights() {
		start(ONE_REQUEST, "tierlimit.rules.r.methods=OPTIONS");
		assertThat(preflight("/by-bean/data", "https://bean.example").status()).isEqualTo(200);
		Reply refused = preflight("/by-bean/data", "https://bean.example");
		assertThat(refused.status()).isEqualTo(429);
		assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("https://bean.example");
	}

	@Test
	void preflightThatNeitherAConfigurationNorAMappingKnowsIsCharged() {
		start(ONE_REQUEST);
		assertThat(preflight("/servlet/data", "https://evil.example").header("RateLimit")).contains("r=0");
		assertThat(preflight("/servlet/data", "https://evil.example").status()).isEqualTo(429);
	}

	@Test
	void fieldsAreExposedOnlyIfSet() {
		start("tierlimit.rules.r.rate=2/d");
		assertThat(get("/by-bean/data", "https://bean.example").header("Access-Control-Expose-Headers"))
			.isEqualTo("X-Own");
	}

	@Test
	void exposedFieldsAreAddedToAllAnswersForOtherOrigins() {
		start(ONE_REQUEST, "tierlimit.headers.expose=true");
		Reply allowed = get("/by-bean/data", "https://bean.example");
		Reply refused = get("/by-bean/data", "https://bean.example");
		assertThat(allowed.text()).contains("Access-Control-Expose-Headers: RateLimit-Policy, RateLimit, ",
				"Access-Control-Expose-Headers: X-Own");
		assertThat(refused.text())
			.containsPattern("Access-Control-Expose-Headers: RateLimit-Policy, RateLimit, .*Retry-After")
			.contains("Access-Control-Expose-Headers: X-Own");
		assertThat(this.server.send("GET /by-bean/data HTTP/1.1", "", "").text()).doesNotContain("Expose-Headers");
	}

	private void start(String... properties) {
		this.application = RunningApplication.start(CorsApplication.class, properties);
		this.server = this.application.raw();
	}

	private Reply get(String path, String origin) {
		return this.server.send("GET " + path + " HTTP/1.1", "Origin: " + origin + "\r\n", "");
	}

	private Reply preflight(String path, String origin) {
		return this.server.send("OPTIONS " + path + " HTTP/1.1",
				"Origin: " + origin + "\r\nAccess-Control-Request-Method: GET\r\n", "");
	}

}
