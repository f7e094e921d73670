package io.tierlimit.web;

import java.util.List;

import io.tierlimit.address.ClientAddresses;
import io.tierlimit.address.ForwardedHeader;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.key.IdentityResolver;
import io.tierlimit.web.RateLimitExchange.Progress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.cors.PreFlightRequestHandler;

import static org.assertj.core.api.Assertions.assertThat;

class CorsResponseHeadersTests {

	private final CorsResponseHeaders cors = new CorsResponseHeaders(List::of, false);

	private final MockHttpServletRequest request = new MockHttpServletRequest("OPTIONS", "/any");

	CorsResponseHeadersTests() {
		this.request.addHeader("Origin", "https://a.example");
		this.request.addHeader("Access-Control-Request-Method", "GET");
	}

	@Test
	void requestThatSpringMvcWouldAnswerAsAPreflightMayBeOne() {
		PreFlightRequestHandler handler = (request, response) -> {
		};
		assertThat(mayBePreflight(handler)).isTrue();
		assertThat(mayBePreflight("a handler of the application")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Authorization", "Proxy-Authorization", "Cookie" })
	void requestWithCredentialsIsNotAPreflight(String header) {
		this.request.addHeader(header, "x");
		assertThat(mayBePreflight((PreFlightRequestHandler) (request, response) -> {
		})).isFalse();
	}

	@Test
	void requestWithAClientCertificateIsNotAPreflight() {
		this.request.setAttribute("jakarta.servlet.request.X509Certificate", new Object[0]);
		assertThat(mayBePreflight((PreFlightRequestHandler) (request, response) -> {
		})).isFalse();
	}

	@Test
	void requestOfHttp2WithoutALengthMayBeAPreflight() {
		PreFlightRequestHandler handler = (request, response) -> {
		};
		this.request.setProtocol("HTTP/2.0");
		assertThat(mayBePreflight(handler)).isTrue();
		this.request.setContent(new byte[1]);
		assertThat(mayBePreflight(handler)).as("with a length").isFalse();
	}

	private boolean mayBePreflight(Object handler) {
		TestEvaluator evaluator = TestEvaluators.of();
		HttpCallerFactory callers = new HttpCallerFactory(
				new IdentityResolver(null, (principal) -> List.of(), (principal, claim) -> null, (known) -> null),
				new ClientAddresses(List.of(), ForwardedHeader.X_FORWARDED_FOR, 32, 64),
				(sought, arrived) -> new Handler(null, null, null, handler, false, null));
		RateLimitExchange exchange = new RateLimitExchange(evaluator.evaluator(), callers,
				TestLimiters.rules(evaluator, TestLimiters.NO_HANDLER).current(), this.request, null,
				Progress.FILTERED);
		return this.cors.mayBePreflight(exchange, this.request);
	}

}
