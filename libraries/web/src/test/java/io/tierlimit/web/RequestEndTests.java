package io.tierlimit.web;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.rule.Account;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.InvalidRequestValueException;
import jakarta.servlet.DispatcherType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests how the filter handles exceptions of the filter chain and the end of a request.
 */
class RequestEndTests {

	private final ChargedRequest charged = new ChargedRequest();

	@ParameterizedTest
	@CsvSource({ "200, 10", "401, 10", "503, 9" })
	void answeredRequestIsSettledByItsStatus(int status, long remaining) throws Exception {
		this.charged.filter((request, response) -> this.charged.response.setStatus(status));
		assertThat(this.charged.remaining()).isEqualTo(remaining);
		assertThat(this.charged.published).hasSize(1);
	}

	@ParameterizedTest
	@MethodSource("io.tierlimit.web.ChargedRequest#failures")
	void exceptionLeavesTheFilterAndIsAFailure(Throwable failure) {
		assertThat(catchThrowable(() -> this.charged.filter(ChargedRequest.failing(failure)))).isSameAs(failure);
		assertThat(this.charged.remaining()).isEqualTo(9);
		assertThat(this.charged.published).hasSize(1);
	}

	@Test
	void rejectionThatAServletThrowsBecomesTheResponse() throws Exception {
		this.charged.filter((request, response) -> {
			response.getOutputStream().print("partial");
			throw ChargedRequest.rejection();
		});
		assertThat(this.charged.response.getStatus()).isEqualTo(429);
		assertThat(this.charged.response.getHeader("Retry-After")).isNotNull();
		assertThat(this.charged.response.getContentAsString()).contains("429").doesNotContain("partial");
		assertThat(this.charged.remaining()).as("429 is not a failure").isEqualTo(10);
	}

	@Test
	void valueThatAServletCannotReadIsABadRequest() throws Exception {
		this.charged.filter(ChargedRequest.failing(new InvalidRequestValueException("on purpose", null)));
		assertThat(this.charged.response.getStatus()).isEqualTo(400);
	}

	@Test
	void rejectionAfterACommittedResponseLeavesTheFilter() {
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.charged.filter((request, response) -> {
				this.charged.response.setCommitted(true);
				throw ChargedRequest.rejection();
			}));
		assertThat(this.charged.response.getStatus()).isEqualTo(200);
	}

	@Test
	void rejectionThatLostItsVerdictLeavesTheFilter() throws Exception {
		RateLimitExceededException copy = (RateLimitExceededException) copy(ChargedRequest.rejection());
		assertThat(catchThrowable(() -> this.charged.filter(ChargedRequest.failing(copy)))).isSameAs(copy);
	}

	@Test
	void rejectionWithinAForwardIsHandledByTheFilterThatBeganTheExchange() throws Exception {
		this.charged.filter((request, response) -> {
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.charged
				.dispatch(DispatcherType.FORWARD, ChargedRequest.failing(ChargedRequest.rejection())));
			assertThat(this.charged.response.getStatus()).isEqualTo(200);
			throw ChargedRequest.rejection();
		});
		assertThat(this.charged.response.getStatus()).isEqualTo(429);
	}

	@Test
	void exceptionOfAForwardThatTheApplicationCatchesIsNotAFailure() throws Exception {
		this.charged.filter((request, response) -> assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.charged.dispatch(DispatcherType.FORWARD,
					ChargedRequest.failing(new IllegalStateException("on purpose")))));
		assertThat(this.charged.remaining()).isEqualTo(10);
	}

	@Test
	void loginsAndCallsDoNotDependOnARequestThatCanNoLongerBeRead() throws Exception {
		TestEvaluator evaluator = TestEvaluators.of(TestRules.rule("call", 10).selection(TestRules.CODE));
		RequestRateLimiter limiter = TestLimiters.of(evaluator, TestLimiters.NO_HANDLER,
				new TestLimiters.Methods(true));
		EndingRequest request = new EndingRequest();
		TestLimiters.filter(Stage.ALL, limiter).doFilter(request, this.charged.response, (served, response) -> {
		});
		request.ended = true;
		RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request, this.charged.response));
		try {
			limiter.recordAuthentication(new Account("alice", "alice"));
			limiter.recordFailedAuthentication();
			limiter.beginCall(getClass().getDeclaredMethod("call"), getClass(), new Object[0]).end();
		}
		finally {
			RequestContextHolder.resetRequestAttributes();
		}
		assertThat(evaluator.remaining("call")).isEqualTo(9);
	}

	void call() {
	}

	private static Object copy(Object original) throws IOException, ClassNotFoundException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		new ObjectOutputStream(bytes).writeObject(original);
		return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
	}

	/**
	 * A request whose attributes can no longer be read after its end, as in a container.
	 */
	private static final class EndingRequest extends MockHttpServletRequest {

		private boolean ended;

		EndingRequest() {
			super("GET", "/orders");
		}

		@Override
		public @Nullable Object getAttribute(String name) {
			if (this.ended) {
				throw new IllegalStateException("The request has ended");
			}
			return super.getAttribute(name);
		}

	}

}
