package io.tierlimit.web;

import java.util.List;
import java.util.Set;

import io.tierlimit.AppliesTo;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.OutcomeCondition;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Endpoint;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which requests reset a bucket by their status, which is 200. Each request
 * consumes one of 10 permits, unless it resets the bucket.
 */
class StatusResetTests {

	private static final Handler LOGIN = handler(new Endpoint("*", "/login"));

	private static final Handler WITHOUT_PATTERN = handler(null);

	@Test
	void handlerThatTheRuleNamesResets() throws Exception {
		assertThat(remaining("POST", Set.of(), LOGIN, true)).isEqualTo(10);
	}

	@Test
	void handlerWithoutAPatternDoesNotReset() throws Exception {
		assertThat(remaining("GET", Set.of(), WITHOUT_PATTERN, true)).as("a static file").isEqualTo(9);
		assertThat(remaining("OPTIONS", Set.of("OPTIONS"), WITHOUT_PATTERN, true)).as("Spring MVC").isEqualTo(9);
	}

	@Test
	void filterThatRespondsResetsWhateverHandlerThePathHas() throws Exception {
		assertThat(remaining("POST", Set.of(), WITHOUT_PATTERN, false)).as("static files").isEqualTo(10);
		assertThat(remaining("POST", Set.of(), null, false)).isEqualTo(10);
	}

	@ParameterizedTest
	@CsvSource({ "OPTIONS", "TRACE" })
	void methodThatServletsAnswerResetsOnlyIfTheRuleListsIt(String method) throws Exception {
		assertThat(remaining(method, Set.of(), null, false)).isEqualTo(9);
		assertThat(remaining(method, Set.of(), LOGIN, true)).isEqualTo(9);
		assertThat(remaining(method, Set.of("POST", method), LOGIN, true)).isEqualTo(10);
	}

	private static long remaining(String method, Set<String> methods, @Nullable Handler handler, boolean reached)
			throws Exception {
		TestEvaluator evaluator = TestEvaluators.of(TestRules.rule("login", 10)
			.selection(new Selection(AppliesTo.REQUESTS, List.of("/login"), List.of(), methods))
			.options((options) -> options.with(new ChargePolicy(List.of(), List.of(OutcomeCondition.parse("200"))))));
		RequestRateLimiter limiter = TestLimiters.of(evaluator, (request, arrived) -> handler);
		MockHttpServletRequest request = new MockHttpServletRequest(method, "/login");
		request.setServletPath("/login");
		MockHttpServletResponse response = new MockHttpServletResponse();
		TestLimiters.filter(Stage.ALL, limiter).doFilter(request, response, (any, same) -> {
			if (reached) {
				limiter.allowsHandler(request, response, new Object());
			}
		});
		return evaluator.remaining("login");
	}

	private static Handler handler(@Nullable Endpoint endpoint) {
		return new Handler(endpoint, null, null, new Object(), false, null);
	}

}
