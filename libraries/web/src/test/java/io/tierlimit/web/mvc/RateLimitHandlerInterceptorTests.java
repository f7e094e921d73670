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
import org.junit.jupiter.params.provider.EnumSource;

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

	@Test
	void requestThatTheFilterAllowedIsAllowedWithoutAnotherCharge() throws Exception {
		filter((request, response) -> assertThat(preHandle()).isTrue());
		assertThat(remaining("all")).isEqualTo(9);
		assertThat(remaining("orders")).isEqualTo(9);
	}

	@ParameterizedTest
	@EnumSource(names = { "REQUEST", "FORWARD", "ASYNC" })
	void requestThatHasReachedAHandlerIsNotCheckedAgain(DispatcherType type) throws Exception {
		filter((request, response) -> {
			assertThat(preHandle()).isTrue();
			dispatch(type, "/full");
			assertThat(preHandle()).isTrue();
		});
		assertThat(remaining("all")).isEqualTo(9);
	}

	@Test
	void requestWhosePathAFilterChangedIsRejectedByTheRulesOfItsPath() throws Exception {
		filter((request, response) -> {
			this.request.setRequestURI("/full");
			assertThat(preHandle()).isFalse();
		});
		assertThat(this.response.getStatus()).isEqualTo(429);
		assertThat(remaining("all")).isEqualTo(10);
		assertThat(remaining("orders")).isEqualTo(10);
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
	void forwardBeforeAHandlerIsRejectedAndRefundsNothing() throws Exception {
		filter((request, response) -> {
			dispatch(DispatcherType.FORWARD, "/full");
			assertThat(preHandle()).isFalse();
		});
		assertThat(this.response.getStatus()).isEqualTo(429);
		assertThat(remaining("orders")).isEqualTo(9);
	}

	@ParameterizedTest
	@EnumSource(names = { "ERROR", "INCLUDE" })
	void errorPageAndIncludeAreNotChecked(DispatcherType type) throws Exception {
		filter((request, response) -> {
			dispatch(type, "/full");
			assertThat(preHandle()).isTrue();
		});
		assertThat(remaining("all")).isEqualTo(9);
		assertThat(remaining("orders")).isEqualTo(9);
	}

	@Test
	void forwardToAnErrorPageIsNotChecked() throws Exception {
		filter((request, response) -> {
			dispatch(DispatcherType.FORWARD, "/full");
			this.request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, 500);
			assertThat(preHandle()).isTrue();
		});
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
