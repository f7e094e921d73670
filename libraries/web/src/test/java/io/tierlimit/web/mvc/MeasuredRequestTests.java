package io.tierlimit.web.mvc;

import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.option.adaptive.AdaptiveRate;
import io.tierlimit.option.adaptive.AdaptiveRates;
import io.tierlimit.option.adaptive.AdaptiveRules;
import io.tierlimit.store.BucketStore;
import io.tierlimit.web.RequestRateLimiter;
import io.tierlimit.web.TestLimiters;
import jakarta.servlet.DispatcherType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.method.HandlerMethod;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the handler that a failed request reaches determines whether the request is
 * measured.
 */
class MeasuredRequestTests {

	private static final Object ERRORS = handler(new Errors());

	private static final Object ORDERS = handler(new Orders());

	private final BucketStore store = TestEvaluators.memory(100);

	private final TestEvaluator evaluator = TestEvaluators.of(this.store,
			AdaptiveRules.rule("all", 1000, 10).withErrors(0.05).build());

	private final RequestRateLimiter limiter = TestLimiters.of(this.evaluator);

	@Test
	void failuresOfAHandlerAreMeasured() throws Exception {
		fail(DispatcherType.REQUEST, ORDERS);
		assertThat(shareAfterUpdate()).isEqualTo(0.8);
	}

	@ParameterizedTest
	@EnumSource(names = { "REQUEST", "FORWARD", "ASYNC" })
	void requestsForTheErrorPathAreNotMeasured(DispatcherType type) throws Exception {
		fail(type, ERRORS);
		assertThat(shareAfterUpdate()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource(names = { "ERROR", "FORWARD" })
	void failuresOfAHandlerWithAnErrorPageAreMeasured(DispatcherType type) throws Exception {
		fail(DispatcherType.REQUEST, ORDERS, type, ERRORS);
		assertThat(shareAfterUpdate()).isEqualTo(0.8);
	}

	@Test
	void failuresBeforeAnyHandlerAreMeasured() throws Exception {
		fail(DispatcherType.ERROR, ERRORS);
		assertThat(shareAfterUpdate()).isEqualTo(0.8);
	}

	/** Sends requests that reach handlers, each with another type of dispatch. */
	private void fail(Object... dispatches) throws Exception {
		for (int i = 0; i < 20; i++) {
			MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders");
			MockHttpServletResponse response = new MockHttpServletResponse();
			request.setRemoteAddr("192.0.2." + i);
			TestLimiters.filter(Stage.ALL, this.limiter).doFilter(request, response, (filtered, written) -> {
				for (int j = 0; j < dispatches.length; j += 2) {
					request.setDispatcherType((DispatcherType) dispatches[j]);
					assertThat(this.limiter.allowsHandler(request, response, dispatches[j + 1])).isTrue();
				}
				response.setStatus(500);
			});
		}
	}

	private double shareAfterUpdate() {
		this.evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
		AdaptiveRate rate = this.evaluator.adaptiveRate("all");
		return rate.share().doubleValue();
	}

	private static HandlerMethod handler(Object controller) {
		try {
			return new HandlerMethod(controller, "handle");
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A handler for the error path.
	 */
	static class Errors implements ErrorController {

		public void handle() {
		}

	}

	/**
	 * A handler for other paths.
	 */
	static class Orders {

		public void handle() {
		}

	}

}
