package io.tierlimit.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.Verdict;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.rule.ChargePolicy;
import io.tierlimit.rule.OutcomeCondition;
import io.tierlimit.rule.TestRules;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests the end of asynchronous requests. The rule {@code failures} refunds its permit
 * unless the request fails.
 */
class AsynchronousRequestTests {

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

	@BeforeEach
	void supportAsynchronousRequests() {
		this.request.setAsyncSupported(true);
	}

	@Test
	void asynchronousRequestCompletesOnce() throws Exception {
		filter((request, response) -> request.startAsync());
		assertThat(remaining()).isEqualTo(9);
		assertThat(this.published).isEmpty();
		asyncContext().complete();
		assertThat(remaining()).isEqualTo(10);
		assertThat(this.published).hasSize(1);
		asyncContext().complete();
		assertThat(remaining()).isEqualTo(10);
		assertThat(this.published).hasSize(1);
	}

	@Test
	void asynchronousDispatchDoesNotCompleteTheRequest() throws Exception {
		filter((request, response) -> request.startAsync());
		dispatch((request, response) -> this.response.setStatus(503));
		assertThat(this.published).isEmpty();
		asyncContext().complete();
		assertThat(remaining()).isEqualTo(9);
		assertThat(this.published).hasSize(1);
	}

	@ParameterizedTest
	@MethodSource("io.tierlimit.web.RequestEndTests#failures")
	void exceptionOfAnAsynchronousDispatchIsAFailure(Throwable failure) throws Exception {
		filter((request, response) -> request.startAsync());
		assertThat(catchThrowable(() -> dispatch(RequestEndTests.failing(failure)))).isSameAs(failure);
		asyncContext().complete();
		assertThat(remaining()).isEqualTo(9);
	}

	@Test
	void rejectionThatAnAsynchronousDispatchThrowsBecomesTheResponse() throws Exception {
		filter((request, response) -> request.startAsync());
		dispatch(RequestEndTests.failing(RequestEndTests.rejection()));
		assertThat(this.response.getStatus()).isEqualTo(429);
		asyncContext().complete();
		assertThat(remaining()).as("429 is not a failure").isEqualTo(10);
	}

	@Test
	void errorThatTheContainerReportsIsAFailure() throws Exception {
		filter((request, response) -> request.startAsync());
		exchange().onError(new AsyncEvent(asyncContext(), new IllegalStateException("on purpose")));
		asyncContext().complete();
		assertThat(remaining()).isEqualTo(9);
	}

	@Test
	void unauthorizedIsAFailedAuthenticationOfAnAsynchronousRequest() throws Exception {
		filter((request, response) -> request.startAsync());
		this.response.setStatus(401);
		asyncContext().complete();
		assertThat(remaining()).isEqualTo(9);
	}

	@Test
	void requestThatStartsAnotherAsynchronousRoundCompletesAfterIt() throws Exception {
		filter((request, response) -> request.startAsync());
		MockAsyncContext next = new MockAsyncContext(this.request, this.response);
		exchange().onStartAsync(new AsyncEvent(next));
		this.response.setStatus(503);
		next.complete();
		assertThat(remaining()).isEqualTo(9);
		assertThat(this.published).hasSize(1);
	}

	private void filter(FilterChain chain) throws ServletException, IOException {
		this.filter.doFilter(this.request, this.response, chain);
	}

	private void dispatch(FilterChain chain) throws ServletException, IOException {
		this.request.setDispatcherType(DispatcherType.ASYNC);
		filter(chain);
	}

	private RateLimitExchange exchange() {
		return Objects.requireNonNull(RateLimitExchange.of(this.request));
	}

	private MockAsyncContext asyncContext() {
		return Objects.requireNonNull((MockAsyncContext) this.request.getAsyncContext());
	}

	private long remaining() {
		return TestEvaluators.remaining(this.evaluator, "failures");
	}

}
