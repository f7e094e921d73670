package io.tierlimit.web;

import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.web.RateLimitExchange.Progress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.cors.PreFlightRequestHandler;

import static org.assertj.core.api.Assertions.assertThat;

class CorsResponseHeadersTests {

	private static final PreFlightRequestHandler PREFLIGHTS = (request, response) -> {
	};

	private final MockHttpServletRequest request = new MockHttpServletRequest("OPTIONS", "/any");

	CorsResponseHeadersTests() {
		this.request.addHeader("Origin", "https://a.example");
		this.request.addHeader("Access-Control-Request-Method", "GET");
	}

	@Test
	void requestThatSpringMvcWouldAnswerAsAPreflightMayBeOne() {
		assertThat(mayBePreflight(PREFLIGHTS)).isTrue();
		assertThat(mayBePreflight("a handler of the application")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Authorization", "Proxy-Authorization", "Cookie" })
	void requestWithCredentialsIsNotAPreflight(String header) {
		this.request.addHeader(header, "x");
		assertThat(mayBePreflight(PREFLIGHTS)).isFalse();
	}

	@Test
	void requestWithAClientCertificateIsNotAPreflight() {
		this.request.setAttribute("jakarta.servlet.request.X509Certificate", new Object[0]);
		assertThat(mayBePreflight(PREFLIGHTS)).isFalse();
	}

	@Test
	void requestOfHttp2WithoutALengthMayBeAPreflight() {
		this.request.setProtocol("HTTP/2.0");
		assertThat(mayBePreflight(PREFLIGHTS)).isTrue();
		this.request.setContent(new byte[1]);
		assertThat(mayBePreflight(PREFLIGHTS)).as("with a length").isFalse();
	}

	private boolean mayBePreflight(Object handler) {
		TestEvaluator evaluator = TestEvaluators.of();
		HttpCallerFactory callers = TestLimiters
			.callers((sought, arrived) -> new Handler(null, null, null, handler, false, null));
		RateLimitExchange exchange = new RateLimitExchange(evaluator.evaluator(), callers,
				TestLimiters.rules(evaluator, TestLimiters.NO_HANDLER).current(), this.request, null,
				Progress.FILTERED);
		return TestLimiters.cors().mayBePreflight(exchange, this.request);
	}

}
