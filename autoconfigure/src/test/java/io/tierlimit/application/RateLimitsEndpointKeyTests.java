package io.tierlimit.application;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the management endpoint with unusual keys, rules, users and addresses.
 */
@Tag("slow")
class RateLimitsEndpointKeyTests {

	private static final String[] SETTINGS = { "management.endpoint.ratelimits.access=unrestricted",
			"management.endpoints.web.exposure.include=ratelimits", "server.max-http-request-header-size=64KB",
			"tierlimit.keys.secret=0123456789abcdef" };

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	static Stream<String> unusual() {
		return Stream.of("a/b", "../all", "100%", "%2F", "a\nb", "a\r\nX: y", "\uD83D\uDE42", "a,b", " ", "a|b", "a\\",
				"(none)", "(hash)x", "a&key=b", "a;b", "+", "\"}", "<b>", "\u0000", "{a}", "'a'", "k".repeat(10_000));
	}

	@ParameterizedTest
	@MethodSource("unusual")
	void bucketsOfUnusualKeysAreShownAndReset(String key) {
		RunningApplication application = start("tierlimit.rules.mail.rate=5/d",
				"tierlimit.rules.mail.applies-to=methods", "tierlimit.rules.mail.key=header('X')");
		application.bean(RateLimiter.class)
			.acquire(PermitRequest.of("mail", key).costing(2), PermitRequest.of("mail", "other"));
		String path = "/actuator/ratelimits/mail?key=" + encoded(key);
		assertThat(application.get(path).jsons("$.buckets[*].permits")).containsExactly(3);
		assertThat(application.send("DELETE", path).status()).isEqualTo(204);
		assertThat(application.get(path).jsons("$.buckets[*].permits")).containsExactly(5);
		assertThat(application.get("/actuator/ratelimits/mail?key=other").jsons("$.buckets[*].permits"))
			.containsExactly(4);
	}

	@ParameterizedTest
	@MethodSource("unusual")
	void unusualRulesUsersAndAddressesAreUnknown(String text) {
		RunningApplication application = start("tierlimit.rules.all.rate=5/d", "tierlimit.rules.users.rate=5/d",
				"tierlimit.rules.users.scope=user", "tierlimit.rules.clients.rate=5/d",
				"tierlimit.rules.clients.scope=ip");
		assertThat(application.get("/actuator/ratelimits/" + encoded(text)).status()).isIn(400, 404);
		assertThat(application.send("DELETE", "/actuator/ratelimits/" + encoded(text)).status()).isIn(400, 404);
		for (String query : List.of("user", "address")) {
			Response found = application.get("/actuator/ratelimits?" + query + "=" + encoded(text));
			assertThat(found.status()).isEqualTo(200);
			assertThat(found.jsons("$.buckets[*].empty")).isNotEmpty().containsOnly(false);
		}
	}

	private static RunningApplication start(String... rules) {
		return applications.start(TestApplication.class, StringUtils.concatenateStringArrays(SETTINGS, rules));
	}

	private static String encoded(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
	}

}
