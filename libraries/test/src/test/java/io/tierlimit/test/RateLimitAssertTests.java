package io.tierlimit.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static io.tierlimit.test.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RateLimitAssertTests {

	private static final RateLimitResponse ALLOWED = response(200, null, "RateLimit",
			"\"per-user\";r=3;t=4, \"search\";r=12;t=1");

	private static final RateLimitResponse REJECTED = response(429,
			"{\"status\":429,\"violated-policies\":[\"per-user\",\"search\"],\"retry-after\":90}", "Retry-After", "90",
			"RateLimit", "\"per-user\";r=0;t=90, \"search\";r=0;t=2", "Content-Type", "application/problem+json");

	@Test
	void statusShowsWhetherRequestIsRejected() {
		assertThat(REJECTED).isRateLimited().hasStatus(429);
		assertThat(ALLOWED).isNotRateLimited().hasStatus(200);
		assertFails(ALLOWED, RateLimitAssert::isRateLimited, "rejected request, with status 429");
		assertFails(REJECTED, RateLimitAssert::isNotRateLimited, "allowed request");
		assertFails(REJECTED, (response) -> response.hasStatus(200), "Expected: status 200");
	}

	@Test
	void violatedRulesAreComparedInAnyOrder() {
		assertThat(REJECTED).violates("per-user", "search");
		assertThat(REJECTED).violates("search", "per-user");
		for (String[] others : new String[][] { {}, { "per-user" }, { "search", "other" },
				{ "per-user", "search", "other" } }) {
			assertFails(REJECTED, (response) -> response.violates(others), "violated rules " + List.of(others));
		}
		assertFails(ALLOWED, (response) -> response.violates("per-user", "search"), "with status 429");
		assertFails(response(429, "per-user"), (response) -> response.violates("per-user"),
				"neither the body nor RateLimit lists violated rules");
		assertThat(rejection("{\"violated-policies\":[]}")).as("a hidden rule").violates();
	}

	/** The header is read if the body does not list rules. */
	@Test
	void violatedRulesAreReadFromTheBodyAndTheHeader() {
		String body = "{\"violated-policies\":[\"per-user\"]}";
		List<RateLimitResponse> responses = new ArrayList<>(List.of(rejection(body)));
		for (String other : new String[] { "Too fast", "[]", "{\"violated-policies\":1}", "{", "{}", "" }) {
			responses.add(rejection(other, "RateLimit", "\"per-user\";r=0"));
		}
		for (RateLimitResponse response : responses) {
			assertThat(response).violates("per-user");
			assertFails(response, (assertion) -> assertion.violates("search"), "violated rules [search]");
		}
		RateLimitResponse contradiction = rejection(body, "RateLimit", "\"search\";r=0");
		for (String rule : new String[] { "per-user", "search" }) {
			assertFails(contradiction, (assertion) -> assertion.violates(rule), "violated rules [" + rule + "]");
		}
	}

	@Test
	void retryAfterIsInWholeSeconds() {
		assertThat(REJECTED).retryAfter(Duration.ofSeconds(90));
		assertFails(REJECTED, (response) -> response.retryAfter(Duration.ofMinutes(1)), "Retry-After of PT1M");
		assertFails(REJECTED, (response) -> response.retryAfter(Duration.ofMillis(89_999)), "PT1M29.999S",
				"whole seconds");
		assertFails(ALLOWED, (response) -> response.retryAfter(Duration.ZERO), "Retry-After of PT0S");
		assertFails(response(429, null, "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"),
				(response) -> response.retryAfter(Duration.ofSeconds(1)), "31 Dec 1999");
		assertThat(ALLOWED).hasNoRetryAfter();
		assertFails(REJECTED, RateLimitAssert::hasNoRetryAfter, "no Retry-After");
	}

	@Test
	void remainingPermitsAreReadByRule() {
		assertThat(ALLOWED).hasRemaining("per-user", 3).hasRemaining("search", 12);
		assertThat(REJECTED).hasRemaining("per-user", 0);
		assertThat(new RateLimitResponse(200,
				Map.of("ratelimit", List.of("\"per-user\";r=3;t=4", "\"search\";t=1;r=12")), null))
			.as("several lines")
			.hasRemaining("per-user", 3)
			.hasRemaining("search", 12);
		assertFails(ALLOWED, (response) -> response.hasRemaining("per-user", 12), "rule 'per-user'", "permits: 12");
		assertFails(ALLOWED, (response) -> response.hasRemaining("user", 3), "rule 'user'");
		assertFails(response(200, null), (response) -> response.hasRemaining("per-user", 3), "rule 'per-user'");
	}

	@Test
	void failureShowsAllPartsOfTheResponse() {
		assertFails(REJECTED, RateLimitAssert::isNotRateLimited, "status: 429", "Retry-After: 90",
				"RateLimit: \"per-user\";r=0;t=90, \"search\";r=0;t=2", "violated-policies: [per-user, search]");
		assertFails(response(200, null), RateLimitAssert::isRateLimited, "status: 200", "Retry-After: (none)",
				"RateLimit: (none)", "violated-policies: (none)");
		assertFails(ALLOWED, (response) -> response.as("the sixth search").isRateLimited(), "[the sixth search]");
		assertFails(response(429, null, "RateLimit", "100%s"), (response) -> response.violates("%d"), "100%s", "[%d]");
	}

	private static void assertFails(RateLimitResponse response, Consumer<RateLimitAssert> assertion, String... parts) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertion.accept(assertThat(response)))
			.withMessageContainingAll(parts)
			.withMessageContainingAll("status: " + response.status(), "Retry-After: ", "RateLimit: ",
					"violated-policies: ");
	}

	private static RateLimitResponse rejection(String body, String... headers) {
		String[] all = Arrays.copyOf(headers, headers.length + 2);
		all[headers.length] = "Content-Type";
		all[headers.length + 1] = "application/problem+json";
		return response(429, body, all);
	}

	private static RateLimitResponse response(int status, @Nullable String body, String... headers) {
		Map<String, List<String>> fields = new LinkedHashMap<>();
		for (int i = 0; i < headers.length; i += 2) {
			fields.put(headers[i], List.of(headers[i + 1]));
		}
		return new RateLimitResponse(status, fields, body);
	}

}
