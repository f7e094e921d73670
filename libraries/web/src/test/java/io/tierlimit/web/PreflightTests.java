package io.tierlimit.web;

import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.rule.Account;
import io.tierlimit.web.RateLimitExchange.Progress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.cors.PreFlightRequestHandler;

import static org.assertj.core.api.Assertions.assertThat;

class PreflightTests {

	private static final PreFlightRequestHandler PREFLIGHTS = (request, response) -> {
	};

	private final MockHttpServletRequest request = new MockHttpServletRequest("OPTIONS", "/any");

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	private final OutcomeRecorder recorder = new OutcomeRecorder(this.response);

	PreflightTests() {
		this.request.addHeader("Origin", "https://a.example");
		this.request.addHeader("Access-Control-Request-Method", "GET");
		this.response.setHeader("Access-Control-Allow-Methods", "GET");
	}

	@Test
	void requestThatSpringMvcWouldAnswerAsAPreflightMayBeOne() {
		assertThat(isPossible(PREFLIGHTS)).isTrue();
		assertThat(isPossible("a handler of the application")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Authorization", "Proxy-Authorization", "Cookie" })
	void requestWithCredentialsIsNotAPreflight(String header) {
		this.request.addHeader(header, "x");
		assertThat(isPossible(PREFLIGHTS)).isFalse();
	}

	@Test
	void requestWithAClientCertificateIsNotAPreflight() {
		this.request.setAttribute("jakarta.servlet.request.X509Certificate", new Object[0]);
		assertThat(isPossible(PREFLIGHTS)).isFalse();
	}

	@Test
	void requestOfHttp2WithoutALengthMayBeAPreflight() {
		this.request.setProtocol("HTTP/2.0");
		assertThat(isPossible(PREFLIGHTS)).isTrue();
		this.request.setContent(new byte[1]);
		assertThat(isPossible(PREFLIGHTS)).as("with a length").isFalse();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "only answered", "rejected", "authenticated", "not authenticated", "failed", "with a body" })
	void requestThatACorsFilterAllowsIsAPreflightExcept(String exception) {
		assertThat(isAllowed()).isTrue();
		switch (exception) {
			case "only answered" -> this.response.reset();
			case "rejected" -> this.response.setStatus(403);
			case "authenticated" -> this.recorder.recordAuthentication(new Account("alice", "alice"));
			case "not authenticated" -> this.recorder.recordFailedAuthentication();
			case "failed" -> this.recorder.recordFailure(new IllegalStateException("on purpose"));
			default -> this.request.setContent(new byte[1]);
		}
		assertThat(isAllowed()).isFalse();
	}

	@Test
	void requestWithoutAResponseIsNotAPreflight() {
		assertThat(Preflight.isAllowed(this.request, null, this.recorder.result(true))).isFalse();
	}

	private boolean isAllowed() {
		return Preflight.isAllowed(this.request, this.response, this.recorder.result(true));
	}

	private boolean isPossible(Object handler) {
		TestEvaluator evaluator = TestEvaluators.of();
		HttpCallerFactory callers = TestLimiters
			.callers((sought, arrived) -> new Handler(null, null, null, handler, false, null));
		RateLimitExchange exchange = new RateLimitExchange(evaluator.evaluator(), callers,
				TestLimiters.rules(evaluator, TestLimiters.NO_HANDLER).current(), () -> 0, this.request, null,
				Progress.FILTERED);
		return Preflight.isPossible(exchange, this.request);
	}

}
