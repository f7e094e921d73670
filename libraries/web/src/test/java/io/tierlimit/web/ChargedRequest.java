package io.tierlimit.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.OutcomeCondition;
import io.tierlimit.rule.TestRules;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A request and a filter with the rule {@code failures}, which has 10 permits and refunds
 * the permit of the request unless it fails.
 */
final class ChargedRequest {

	final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders");

	final MockHttpServletResponse response = new MockHttpServletResponse();

	/** The verdicts of completed requests. */
	final List<Verdict> published = new ArrayList<>();

	private final TestEvaluator evaluator = TestLimiters.publishing(this.published,
			TestRules.rule("failures", 10)
				.options((options) -> options.with(new ChargePolicy(
						List.of(OutcomeCondition.parse("5xx"), OutcomeCondition.parse("authentication-failure")),
						List.of()))));

	private final RateLimitFilter filter = TestLimiters.filter(Stage.ALL, TestLimiters.of(this.evaluator));

	void filter(FilterChain chain) throws ServletException, IOException {
		this.filter.doFilter(this.request, this.response, chain);
	}

	void dispatch(DispatcherType type, FilterChain chain) throws ServletException, IOException {
		this.request.setDispatcherType(type);
		filter(chain);
	}

	/** The remaining permits: 9 while the request is charged, and 10 after its refund. */
	long remaining() {
		return this.evaluator.remaining("failures");
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
		RateLimiter limiter = TestEvaluators.of(TestRules.rule("code", 1)).limiter();
		limiter.acquire(PermitRequest.of("code"));
		return Objects.requireNonNull(catchThrowableOfType(RateLimitExceededException.class,
				() -> limiter.acquire(PermitRequest.of("code"))));
	}

}
