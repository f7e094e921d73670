package io.tierlimit.web.openapi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.web.header.HeaderStyle;
import io.tierlimit.web.header.LimitHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimitedResponsesTests {

	private static final Rule EXPORTS = TestRules.rule("exports", Concurrency.of(2, Duration.ofMinutes(1)));

	private static final List<LimitHeader> HEADERS = Stream.of(HeaderStyle.DRAFT_11, HeaderStyle.DRAFT_06)
		.flatMap((style) -> style.headers().stream())
		.toList();

	@Test
	void stylesThatOmitConcurrencyAreNotDocumentedForIt() {
		assertThat(headers(HEADERS, EXPORTS)).containsOnlyKeys("RateLimit-Policy", "RateLimit", "Retry-After");
		assertThat(headers(HEADERS, EXPORTS, TestRules.rule("search", 10))).containsOnlyKeys("RateLimit-Policy",
				"RateLimit", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After");
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			DRAFT_11; RateLimit,RateLimit-Policy,Retry-After
			DRAFT_06; RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset,Retry-After
			X_RATELIMIT; Retry-After,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset
			X_RATELIMIT_DELTA; Retry-After,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset""")
	void headersMatchTheStyle(HeaderStyle style, String headers) {
		assertThat(headers(style.headers(), TestRules.rule("search", 10))).containsOnlyKeys(headers.split(","));
	}

	@Test
	void onlyTheWaitIsDocumentedWithoutAStyle() {
		assertThat(headers(List.of(), TestRules.rule("search", 10))).containsOnlyKeys("Retry-After");
	}

	@Test
	void descriptionsStateThatATimeMayNotBeKnown() {
		Map<String, Header> headers = headers(HEADERS, EXPORTS);
		assertThat(description(headers, "Retry-After")).contains("not known");
		assertThat(description(headers, "RateLimit")).contains("Without t, the time is not known");
		assertThat(description(headers, "RateLimit-Policy")).contains("(qu)");
	}

	private static Map<String, Header> headers(List<LimitHeader> headers, Rule... rules) {
		Operation operation = new Operation();
		new RateLimitedResponses(headers, true).document(operation, List.of(rules));
		return Objects.requireNonNull(operation.getResponses().get("429")).getHeaders();
	}

	private static String description(Map<String, Header> headers, String name) {
		return Objects.requireNonNull(headers.get(name)).getDescription();
	}

}
