package io.tierlimit.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.TestRules;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

class ProblemRejectionHandlerTests {

	private static final RuleDecision REJECTED = TestDecision
		.rejected(TestRules.rule("per-user", new TokenBucket(Rate.parse("1/s"))));

	@Test
	void bodyListsTheViolatedRulesInTheirOrder() throws IOException {
		assertThat(body(429, "7", named("a"), named("b.c_d-1#2")).toString()).isEqualTo("""
				{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Too Many Requests",\
				"status":429,"detail":"The request is over its rate limit.","violated-policies":["a","b.c_d-1#2"],\
				"retry-after":7}""");
	}

	@Test
	void typeOfABanIsAbnormalUsage() throws IOException {
		TestDecision decision = (TestDecision) REJECTED;
		BanPolicy policy = new BanPolicy(1, 1, 1, 1);
		RuleDecision banned = new TestDecision("b", null, false, "", 1, decision.limit(),
				policy.count(new BucketState(0), decision.decision(), 0), false);
		assertThat(body(429, "7", banned).toString()).isEqualTo("""
				{"type":"https://iana.org/assignments/http-problem-types#abnormal-usage-detected",\
				"title":"Too Many Requests","status":429,\
				"detail":"The caller is banned for a time after too many rejected requests.",\
				"violated-policies":["b"],"retry-after":7}""");
		assertThat(body(503, "7", REJECTED, banned).path("type").asString()).endsWith("#abnormal-usage-detected");
		RuleDecision shadow = new TestDecision("s", null, true, "", 1, decision.limit(), banned.decision(), false);
		assertThat(body(429, "7", REJECTED, shadow).path("type").asString()).endsWith("#quota-exceeded");
	}

	@Test
	void bodyIsJsonForEveryName() throws IOException {
		String name = "a\"b\\c\n\u00e9\ud83d\ude00/\u2028</script>";
		assertThat(body(429, null, named(name)).path("violated-policies").path(0).asString()).isEqualTo(name);
	}

	@Test
	void waitThatIsNotANumberOfSecondsIsOmitted() throws IOException {
		for (String wait : new String[] { "", "0", "01", "-1", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT" }) {
			assertThat(body(429, wait, REJECTED).has("retry-after")).as(wait).isFalse();
		}
	}

	@Test
	void bodyHasTheStatusOfTheResponse() throws IOException {
		JsonNode body = body(503, null, REJECTED);
		assertThat(body.path("status").asInt()).isEqualTo(503);
		assertThat(body.path("title").asString()).isEqualTo("Service Unavailable");
		assertThat(body.path("violated-policies").toString()).isEqualTo("[\"per-user\"]");
	}

	private static RuleDecision named(String rule) {
		TestDecision decision = (TestDecision) REJECTED;
		return new TestDecision(rule, null, false, "", 1, decision.limit(), decision.decision(), false);
	}

	private static JsonNode body(int status, @Nullable String retryAfter, RuleDecision... decisions)
			throws IOException {
		MockHttpServletResponse response = new MockHttpServletResponse();
		response.setStatus(status);
		if (retryAfter != null) {
			response.setHeader("Retry-After", retryAfter);
		}
		new ProblemRejectionHandler().handle(new Verdict(Outcome.REJECTED, List.of(decisions)),
				new MockHttpServletRequest(), response);
		assertThat(response.getContentLength()).isEqualTo(response.getContentAsByteArray().length);
		assertThat(response.getContentType()).isEqualTo("application/problem+json");
		return json(response);
	}

	private static JsonNode json(MockHttpServletResponse response) {
		return JsonMapper.shared().readTree(new String(response.getContentAsByteArray(), StandardCharsets.UTF_8));
	}

}
