package io.tierlimit.application;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

import io.tierlimit.application.RawHttp.Reply;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class CorsTests {

	private static final String ONE_REQUEST = "tierlimit.rules.r.rate=1/d";

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	private RawHttp server;

	@ParameterizedTest
	@CsvSource({ "/by-bean/data, https://bean.example", "/by-mapping/data, https://mapping.example",
			"/by-annotation/data, https://annotation.example" })
	void rejectionCanBeReadByAllowedOrigins(String path, String origin) {
		start(ONE_REQUEST);
		Reply allowed = get(path, origin);
		Reply rejected = get(path, origin);
		assertThat(allowed.status()).isEqualTo(200);
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.header("Access-Control-Allow-Origin")).isEqualTo(origin)
			.isEqualTo(allowed.header("Access-Control-Allow-Origin"));
		for (String field : new String[] { "Access-Control-Allow-Credentials", "Access-Control-Expose-Headers",
				"Vary" }) {
			assertThat(rejected.header(field)).as(field).isEqualTo(allowed.header(field));
		}
	}

	@ParameterizedTest
	@CsvSource({ "/by-bean/data", "/by-mapping/data", "/by-annotation/data", "/same-origin/data", "/nowhere" })
	void rejectionCannotBeReadByOtherOrigins(String path) {
		start("tierlimit.rules.r.rate=2/d");
		get(path, "https://evil.example");
		get(path, "https://evil.example");
		Reply rejected = get(path, "https://evil.example");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.text()).doesNotContain("Access-Control-Allow-Origin");
	}

	@Test
	void rejectionByAnAnnotationCanBeReadByAllowedOrigins() {
		start("tierlimit.rules.other.rate=1/s");
		get("/by-annotation/limited", "https://annotation.example");
		this.application.reset("other", "");
		Reply rejected = get("/by-annotation/limited", "https://annotation.example");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.header("Access-Control-Allow-Origin")).isEqualTo("https://annotation.example");
	}

	@ParameterizedTest
	@CsvSource({ "/by-bean/data, https://bean.example, default", "/by-mapping/data, https://mapping.example, mvc",
			"/by-annotation/data, https://annotation.example, mvc" })
	void answeredPreflightIsRefundedAndRejectedIfNoPermitIsLeft(String path, String origin, String profile) {
		startWith(profile, ONE_REQUEST);
		for (int i = 0; i < 3; i++) {
			Reply preflight = preflight(path, origin);
			assertThat(preflight.status()).isEqualTo(200);
			assertThat(preflight.header("RateLimit")).isEmpty();
		}
		assertThat(get(path, origin).header("RateLimit")).contains("r=0");
		assertThat(preflight(path, origin).status()).isEqualTo(429);
	}

	@ParameterizedTest
	@CsvSource({ "/by-bean/data, default", "/by-mapping/data, mvc" })
	void preflightOfAnOriginThatIsNotAllowedIsCharged(String path, String profile) {
		startWith(profile, ONE_REQUEST);
		assertThat(preflight(path, "https://evil.example").status()).isEqualTo(403);
		assertThat(preflight(path, "https://evil.example").status()).isEqualTo(429);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/by-bean/data", "/by-mapping/data", "/by-annotation/data", "/servlet/data",
			"/same-origin/data", "/nowhere" })
	void passwordsCannotBeGuessedInPreflights(String path) {
		startWith("passwords-first", "tierlimit.rules.r.rate=5/d");
		for (int i = 0; i < 5; i++) {
			assertThat(preflight(path, "https://evil.example", basic("guess" + i)).status()).isEqualTo(401);
		}
		assertThat(preflight(path, "https://evil.example", basic("secret")).status()).isEqualTo(429);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Authorization: Bearer x", "Proxy-Authorization: Basic eDp5", "Cookie: JSESSIONID=x",
			"Cookie: x=y" })
	void preflightWithCredentialsIsCharged(String credentials) {
		start(ONE_REQUEST);
		preflight("/by-bean/data", "https://bean.example", credentials);
		assertThat(preflight("/by-bean/data", "https://bean.example", credentials).status()).isEqualTo(429);
	}

	@Test
	void preflightThatIsAuthenticatedOtherwiseIsCharged() {
		startWith("passwords-first", "tierlimit.rules.r.rate=2/d");
		assertThat(preflight("/by-bean/data", "https://bean.example", "X-Password: guess").status()).isEqualTo(401);
		assertThat(preflight("/by-bean/data", "https://bean.example", "X-Password: secret").status()).isEqualTo(200);
		assertThat(preflight("/by-bean/data", "https://bean.example", "X-Password: secret").status()).isEqualTo(429);
	}

	@Test
	void credentialsThatAnInterceptorChecksCannotBeGuessedInPreflights() {
		startWith("mvc", "tierlimit.rules.r.rate=3/d");
		for (int i = 0; i < 3; i++) {
			assertThat(preflight("/by-mapping/data", "https://mapping.example", "X-Api-Key: guess").status())
				.isEqualTo(401);
		}
		assertThat(preflight("/by-mapping/data", "https://mapping.example", "X-Api-Key: right").status())
			.isEqualTo(429);
	}

	@Test
	void preflightWithABodyIsCharged() {
		startWith("mvc", ONE_REQUEST);
		for (int i = 0; i < 2; i++) {
			Reply reply = this.server.send("OPTIONS /by-mapping/data HTTP/1.1",
					"Origin: https://mapping.example\r\nAccess-Control-Request-Method: GET\r\nContent-Length: 1\r\n",
					"x");
			assertThat(reply.status()).isEqualTo((i == 0) ? 200 : 429);
		}
	}

	@Test
	void preflightLacksTheHeadersOfARuleAndIsNotInvalid() {
		startWith("mvc", "tierlimit.rules.r.rate=3/d", "tierlimit.rules.r.cost=header('X-Rows')",
				"tierlimit.rules.s.key=header('X-Tenant') + 1", "tierlimit.rules.s.rate=3/d");
		for (int i = 0; i < 5; i++) {
			assertThat(preflight("/by-mapping/data", "https://mapping.example").status()).isEqualTo(200);
		}
		assertThat(get("/by-mapping/data", "https://mapping.example").status()).isEqualTo(400);
	}

	@Test
	void ruleForUsersDoesNotRejectPreflights() {
		startWith("mvc", "tierlimit.rules.r.rate=1/d", "tierlimit.rules.r.scope=user",
				"tierlimit.rules.r.on-missing-key=deny");
		assertThat(preflight("/by-mapping/data", "https://mapping.example").status()).isEqualTo(200);
		assertThat(get("/by-mapping/data", "https://mapping.example").status()).isEqualTo(403);
		assertThat(preflight("/servlet/data", "https://bean.example").status()).isEqualTo(403);
	}

	@Test
	void preflightThatAFilterChangesIntoAnotherRequestIsCharged() {
		startWith("originless", ONE_REQUEST);
		assertThat(preflight("/same-origin/data", "https://evil.example").header("RateLimit")).contains("r=0");
		assertThat(preflight("/same-origin/data", "https://evil.example").status()).isEqualTo(429);
	}

	@Test
	void ruleThatNamesOptionsAppliesToPreflights() {
		start(ONE_REQUEST, "tierlimit.rules.r.methods=OPTIONS");
		assertThat(preflight("/by-bean/data", "https://bean.example").status()).isEqualTo(200);
		Reply rejected = preflight("/by-bean/data", "https://bean.example");
		assertThat(rejected.status()).isEqualTo(429);
		assertThat(rejected.header("Access-Control-Allow-Origin")).isEqualTo("https://bean.example");
	}

	@ParameterizedTest
	@CsvSource({ "/servlet/data, r=0", "/by-mapping/data, ''" })
	void preflightWithoutAConfigurationOrAMappingIsCharged(String path, String level) {
		start(ONE_REQUEST);
		Reply preflight = preflight(path, "https://mapping.example");
		assertThat(preflight.header("RateLimit")).contains(level);
		assertThat(preflight.text()).doesNotContain("Access-Control-Allow");
		assertThat(preflight(path, "https://mapping.example").status()).isEqualTo(429);
	}

	@Test
	void exposedHeadersAreAddedToAllResponsesToOtherOrigins() {
		start(ONE_REQUEST, "tierlimit.headers.expose=true");
		Reply allowed = get("/by-bean/data", "https://bean.example");
		Reply rejected = get("/by-bean/data", "https://bean.example");
		assertThat(allowed.text()).contains("Access-Control-Expose-Headers: RateLimit-Policy, RateLimit, ",
				"Access-Control-Expose-Headers: X-Own");
		assertThat(rejected.text())
			.containsPattern("Access-Control-Expose-Headers: RateLimit-Policy, RateLimit, .*Retry-After")
			.contains("Access-Control-Expose-Headers: X-Own");
		assertThat(this.server.send("GET /by-bean/data HTTP/1.1", "", "").text()).doesNotContain("Expose-Headers");
	}

	private void start(String... properties) {
		startWith("default", properties);
	}

	private void startWith(String profile, String... properties) {
		this.application = applications.start(CorsApplication.class, properties, "spring.profiles.active=" + profile);
		this.server = this.application.raw();
	}

	private Reply get(String path, String origin) {
		return this.server.send("GET " + path + " HTTP/1.1", "Origin: " + origin + "\r\n", "");
	}

	private Reply preflight(String path, String origin) {
		return preflight(path, origin, "X-None: none");
	}

	private Reply preflight(String path, String origin, String header) {
		return this.server.send("OPTIONS " + path + " HTTP/1.1",
				"Origin: " + origin + "\r\nAccess-Control-Request-Method: GET\r\n" + header + "\r\n", "");
	}

	private static String basic(String password) {
		return "Authorization: Basic "
				+ Base64.getEncoder().encodeToString(("alice:" + password).getBytes(StandardCharsets.UTF_8));
	}

}
