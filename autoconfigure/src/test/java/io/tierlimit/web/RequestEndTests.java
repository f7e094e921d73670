package io.tierlimit.web;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.EvaluatingRateLimiter;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.rule.ChargePolicy;
import io.tierlimit.rule.OutcomeCondition;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.InvalidFactException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests how the filter handles exceptions of the filter chain and the end of a request.
 * The rule {@code failures} refunds its permit unless the request fails.
 */
class RequestEndTests {

	private final List<Verdict> published = new ArrayList<>();

	private final RateLimitEvaluator evaluator = TestEvaluators.of(TestEvaluators.memory(100),
			new VerdictPublisher(
					EvaluationObserver.NONE, () -> List.of((verdict, caller) -> this.published.add(verdict))),
			WaitQueue.NONE,
			TestRules.rule("failures", 10)
				.options((options) -> options.chargePolicy(new ChargePolicy(
						List.of(OutcomeCondition.parse("5xx"), OutcomeCondition.parse("authentication-failure")),
						List.of()))));

	private final RateLimitFilter filter = TestLimiters.filter(Stage.ALL, TestLimiters.of(this.evaluator));

	private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders");

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	@ParameterizedTest
	@CsvSource({ "200, 10", "401, 10", "503, 9" })
	void answeredRequestIsSettledByItsStatus(int status, long remaining) throws Exception {
		filter((request, response) -> this.response.setStatus(status));
		assertThat(remaining()).isEqualTo(remaining);
		assertThat(this.published).hasSize(1);
	}

	@ParameterizedTest
	@MethodSource("failures")
	void exceptionLeavesTheFilterAndIsAFailure(Throwable failure) {
		assertThat(catchThrowable(() -> filter(failing(failure)))).isSameAs(failure);
		assertThat(remaining()).isEqualTo(9);
		assertThat(this.published).hasSize(1);
	}

	@Test
	void rejectionThatAServletThrowsBecomesTheResponse() throws Exception {
		filter((request, response) -> {
			response.getOutputStream().print("partial");
			throw rejection();
		});
		assertThat(this.response.getStatus()).isEqualTo(429);
		assertThat(this.response.getHeader("Retry-After")).isNotNull();
		assertThat(this.response.getContentAsString()).contains("429").doesNotContain("partial");
		assertThat(remaining()).as("429 is not a failure").isEqualTo(10);
	}

	@Test
	void valueThatAServletCannotReadIsABadRequest() throws Exception {
		filter(failing(new InvalidFactException("on purpose", null)));
		assertThat(this.response.getStatus()).isEqualTo(400);
	}

	@Test
	void rejectionAfterACommittedResponseLeavesTheFilter() {
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> filter((request, response) -> {
			this.response.setCommitted(true);
			throw rejection();
		}));
		assertThat(this.response.getStatus()).isEqualTo(200);
	}

	@Test
	void rejectionThatLostItsVerdictLeavesTheFilter() throws Exception {
		RateLimitExceededException copy = (RateLimitExceededException) copy(rejection());
		assertThat(catchThrowable(() -> filter(failing(copy)))).isSameAs(copy);
	}

	@Test
	void rejectionWithinAForwardIsHandledByTheFilterThatBeganTheExchange() throws Exception {
		filter((request, response) -> {
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> forward(failing(rejection())));
			assertThat(this.response.getStatus()).isEqualTo(200);
			throw rejection();
		});
		assertThat(this.response.getStatus()).isEqualTo(429);
	}

	@Test
	void exceptionOfAForwardThatTheApplicationCatchesIsNotAFailure() throws Exception {
		filter((request, response) -> assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> forward(failing(new IllegalStateException("on purpose")))));
		assertThat(remaining()).isEqualTo(10);
	}

	private void filter(FilterChain chain) throws ServletException, IOException {
		this.filter.doFilter(this.request, this.response, chain);
	}

	private void forward(FilterChain chain) throws ServletException, IOException {
		this.request.setDispatcherType(DispatcherType.FORWARD);
		filter(chain);
	}

	private long remaining() {
		return TestEvaluators.remaining(this.evaluator, "failures");
	}

	static List<Throwable> failures() {
		return List.of(new IllegalStateException("on purpose"), new IOException("on purpose"),
				new ServletException("on purpose"), new StackOverflowError("on purpose"));
	}

	static FilterChain failing(Throwable failure) {
		return (request, response) -> {
			if (failure instanceof IOException ex) {
				throw ex;
			}
			if (failure instanceof ServletException ex) {
				throw ex;
			}
			if (failure instanceof Error ex) {
				throw ex;
			}
			throw (RuntimeException) failure;
		};
	}

	static RateLimitExceededException rejection() {
		RateLimiter program = new EvaluatingRateLimiter(TestEvaluators.of(TestRules.rule("program", 1)));
		program.acquire(PermitRequest.of("program"));
		return Objects.requireNonNull(catchThrowableOfType(RateLimitExceededException.class,
				() -> program.acquire(PermitRequest.of("program"))));
	}

	private static Object copy(Object original) throws IOException, ClassNotFoundException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		new ObjectOutputStream(bytes).writeObject(original);
		return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
	}

}
