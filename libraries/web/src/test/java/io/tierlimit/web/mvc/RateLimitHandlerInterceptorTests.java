package io.tierlimit.web.mvc;

import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.web.Parameters;
import io.tierlimit.web.RequestRateLimiter;
import io.tierlimit.web.TestLimiters;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests the check after the filter, before a handler runs. The rule {@code full} rejects
 * every request with its path.
 */
class RateLimitHandlerInterceptorTests {

	private static final Object HANDLER = new Object();

	private final MockHttpServletRequest request = new MockHttpServletRequest("POST", "/orders");

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	private final TestEvaluator evaluator = TestEvaluators.of(TestRules.rule("all", 10),
			TestRules.rule("orders", 10).selection(TestRules.onPath("/orders")),
			TestRules.rule("full", 10).selection(TestRules.onPath("/full")).cost("11"));

	private final RequestRateLimiter limiter = TestLimiters.of(this.evaluator);

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "as the filter allowed it, REQUEST, /orders, true, 9",
			"path changed by a filter, REQUEST, /full, false, 10",
			"forward before a handler refunds nothing, FORWARD, /full, false, 9", "error page, ERROR, /full, true, 9",
			"forward to an error page, FORWARD, /full, true, 9", "include, INCLUDE, /full, true, 9",
			"changed after a handler, REQUEST, /full, true, 9", "forward after a handler, FORWARD, /full, true, 9",
			"asynchronous dispatch after a handler, ASYNC, /full, true, 9" })
	void requestIsCheckedAgainIfItHasAnotherTargetBeforeAHandler(String description, DispatcherType type, String path,
			boolean allowed, long left) throws Exception {
		filter((request, response) -> {
			if (description.endsWith("after a handler")) {
				assertThat(preHandle()).isTrue();
			}
			dispatch(type, path);
			if (description.equals("forward to an error page")) {
				this.request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, 500);
			}
			assertThat(preHandle()).isEqualTo(allowed);
		});
		assertThat(this.response.getStatus()).isEqualTo(allowed ? 200 : 429);
		assertThat(remaining("all")).isEqualTo(left);
		assertThat(remaining("orders")).isEqualTo(left);
	}

	@Test
	void changedRequestThatIsRejectedAfterItsBodyWasReadIsChargedAsBefore() throws Exception {
		this.request.setContent(new byte[10]);
		filter((request, response) -> {
			request.getInputStream();
			this.request.setRequestURI("/full");
			assertThat(preHandle()).isFalse();
		});
		assertThat(remaining("all")).isEqualTo(9);
		assertThat(remaining("orders")).isEqualTo(9);
	}

	@Test
	void changedRequestThatIsInvalidAfterItsBodyWasReadIsChargedAsBefore() throws Exception {
		this.request.setContent(new byte[10]);
		filter((request, response) -> {
			request.getInputStream();
			this.request.setRequestURI("/other");
			assertThatExceptionOfType(InvalidRequestValueException.class)
				.isThrownBy(() -> Parameters.read(this.request, () -> {
					throw new IllegalStateException("malformed");
				}));
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::preHandle)
				.withCauseInstanceOf(InvalidRequestValueException.class);
		});
		assertThat(remaining("all")).isEqualTo(9);
		assertThat(remaining("orders")).isEqualTo(9);
	}

	@Test
	void handlerOfAnErrorPageIsNotTheHandlerOfTheRequest() throws Exception {
		filter((request, response) -> {
			dispatch(DispatcherType.ERROR, "/error");
			assertThat(preHandle()).isTrue();
			dispatch(DispatcherType.REQUEST, "/full");
			assertThat(preHandle()).isFalse();
		});
	}

	@Test
	void requestThatReachedNoFilterIsAllowedWithoutACharge() throws Exception {
		this.request.setRequestURI("/full");
		assertThat(preHandle()).isTrue();
		assertThat(remaining("all")).isEqualTo(10);
	}

	@Test
	void limiterIsLookedUpForTheFirstRequest() throws Exception {
		AtomicInteger lookups = new AtomicInteger();
		RateLimitHandlerInterceptor interceptor = new RateLimitHandlerInterceptor(() -> {
			lookups.incrementAndGet();
			return this.limiter;
		});
		assertThat(lookups).hasValue(0);
		interceptor.preHandle(this.request, this.response, HANDLER);
		assertThat(lookups).hasValue(1);
	}

	private void filter(FilterChain chain) throws Exception {
		TestLimiters.filter(Stage.ALL, this.limiter).doFilter(this.request, this.response, chain);
	}

	private void dispatch(DispatcherType type, String path) {
		this.request.setDispatcherType(type);
		this.request.setRequestURI(path);
	}

	private boolean preHandle() {
		try {
			return new RateLimitHandlerInterceptor(() -> this.limiter).preHandle(this.request, this.response, HANDLER);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private long remaining(String rule) {
		return this.evaluator.remaining(rule);
	}

}
