package io.tierlimit.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.OutcomeCondition;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.web.RateLimitExchange.Progress;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests a request from its start to its completion, without a server: what is charged,
 * refunded, written and published at each point.
 */
class RequestLifecycleTests {

	private static final Object[] NOTHING = {};

	private static final Object HANDLER = new Object();

	private final List<Verdict> published = new ArrayList<>();

	private final TestEvaluator evaluator = TestEvaluators.of(TestEvaluators.memory(100),
			new VerdictPublisher(EvaluationObserver.NONE,
					() -> List.of((verdict, caller) -> this.published.add(verdict))),
			WaitQueue.NONE, rule("all"), onOrders(),
			rule("failures").selection(TestRules.onPath("/login"))
				.options(
						(options) -> options.with(new ChargePolicy(List.of(OutcomeCondition.parse("401")), List.of()))),
			rule("calls").selection(TestRules.CODE));

	private final RequestRateLimiter limiter = TestLimiters.of(this.evaluator, TestLimiters.NO_HANDLER,
			new TestLimiters.RulesByMethodName());

	private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders");

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	@AfterEach
	void unbind() {
		RequestContextHolder.resetRequestAttributes();
	}

	@Test
	void allowedRequestIsChargedAndPublishedOnceAtItsEnd() throws Exception {
		filter((request, response) -> {
			assertThat(left("all")).isEqualTo(9);
			assertThat(this.published).isEmpty();
			assertThat(this.response.getHeader("RateLimit")).contains("\"all\";r=9", "\"orders\";r=9");
		});
		assertThat(this.published).singleElement()
			.satisfies((verdict) -> assertThat(rules(verdict)).containsExactly("all", "orders"));
	}

	@Test
	void rejectedRequestConsumesNothingAndIsPublishedOnce() throws Exception {
		this.evaluator.limiter().acquire(PermitRequest.of("orders").cost(10));
		this.published.clear();
		filter((request, response) -> {
			throw new IllegalStateException("not to be served");
		});
		assertThat(this.response.getStatus()).isEqualTo(429);
		assertThat(left("all")).isEqualTo(10);
		assertThat(this.published).singleElement().satisfies((verdict) -> assertThat(verdict.allowed()).isFalse());
	}

	@Test
	void exceptionDoesNotRefundConditionalCharges() {
		this.request.setRequestURI("/login");
		assertThatIllegalStateException().isThrownBy(() -> filter((request, response) -> {
			throw new IllegalStateException("on purpose");
		}));
		assertThat(left("failures")).isEqualTo(9);
		assertThat(this.published).hasSize(1);
	}

	@Test
	void requestThatAFilterChangesIsEvaluatedAgain() throws Exception {
		filter((request, response) -> {
			this.request.setRequestURI("/other");
			assertThat(this.limiter.allowsHandler(this.request, this.response, HANDLER)).isTrue();
		});
		assertThat(left("orders")).isEqualTo(10);
		assertThat(left("all")).isEqualTo(9);
		assertThat(this.published).singleElement()
			.satisfies((verdict) -> assertThat(rules(verdict)).containsExactly("all"));
	}

	@Test
	void forwardBeforeTheHandlerAddsTheMissingRules() throws Exception {
		this.request.setRequestURI("/other");
		filter((request, response) -> {
			this.request.setRequestURI("/orders");
			this.request.setDispatcherType(DispatcherType.FORWARD);
			assertThat(this.limiter.allowsHandler(this.request, this.response, HANDLER)).isTrue();
		});
		assertThat(left("orders")).isEqualTo(9);
		assertThat(left("all")).isEqualTo(9);
	}

	@Test
	void rejectedCallInTheHandlerRefundsNothing() throws Exception {
		this.evaluator.limiter().acquire(PermitRequest.of("calls").cost(10));
		filter((request, response) -> {
			assertThat(this.limiter.allowsHandler(this.request, this.response, HANDLER)).isTrue();
			assertThat(call("calls").allowed()).isFalse();
		});
		assertThat(left("all")).isEqualTo(9);
		assertThat(left("orders")).isEqualTo(9);
	}

	@Test
	void callAfterTheEndDoesNotBelongToTheRequest() throws Exception {
		filter((request, response) -> {
		});
		assertThat(left("all")).isEqualTo(9);
		this.response.reset();
		assertThat(call("all").allowed()).isTrue();
		assertThat(left("all")).as("charged like any call without a request").isEqualTo(8);
		assertThat(this.response.getHeaderNames()).as("the response may serve another request").isEmpty();
	}

	@Test
	void requestThatNoRuleMatchesBeginsNoTransaction() throws Exception {
		RequestRateLimiter narrow = TestLimiters.of(TestEvaluators.of(onOrders()));
		this.request.setRequestURI("/other");
		RateLimitExchange exchange = narrow.begin(this.request, this.response, Progress.FILTERED);
		assertThat(narrow.allows(Stage.ALL, exchange, this.request, this.response)).isTrue();
		assertThat(exchange.transaction()).isNull();
	}

	@Test
	void headersOfATargetThatAFilterHasChangedAreRemoved() throws Exception {
		RequestRateLimiter limiter = TestLimiters.of(TestEvaluators.of(onOrders()));
		filter(limiter, (request, response) -> {
			assertThat(this.response.getHeaderNames()).contains("RateLimit", "RateLimit-Policy");
			this.response.setHeader("X-Own", "stays");
			this.request.setRequestURI("/other");
			assertThat(limiter.allowsHandler(this.request, this.response, HANDLER)).isTrue();
			assertThat(this.response.getHeaderNames()).containsExactly("X-Own");
		});
	}

	@Test
	void rejectionByAHiddenRuleAloneHasNoRateLimitHeaderOfAnEarlierEvaluation() throws Exception {
		Rule hidden = rule("hidden").selection(TestRules.onPath("/hidden"))
			.cost("11")
			.options((options) -> options.visibility(HeaderVisibility.HIDDEN));
		RequestRateLimiter limiter = TestLimiters.of(TestEvaluators.of(rule("all"), hidden));
		filter(limiter, (request, response) -> {
			assertThat(this.response.getHeaderNames()).contains("RateLimit");
			this.request.setRequestURI("/hidden");
			assertThat(limiter.allowsHandler(this.request, this.response, HANDLER)).isFalse();
		});
		assertThat(this.response.getStatus()).isEqualTo(429);
		assertThat(this.response.getHeaderNames()).contains("RateLimit-Policy").doesNotContain("RateLimit");
	}

	private void filter(FilterChain chain) throws Exception {
		filter(this.limiter, chain);
	}

	private void filter(RequestRateLimiter limiter, FilterChain chain) throws Exception {
		RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(this.request, this.response));
		TestLimiters.filter(Stage.ALL, limiter).doFilter(this.request, this.response, chain);
	}

	private long left(String rule) {
		return this.evaluator.remaining(rule);
	}

	private static List<String> rules(Verdict verdict) {
		return verdict.decisions().stream().map(RuleDecision::rule).toList();
	}

	private static Rule rule(String id) {
		return TestRules.rule(id, 10);
	}

	private Verdict call(String method) {
		return this.limiter.evaluateCall(
				Objects.requireNonNull(ReflectionUtils.findMethod(RequestLifecycleTests.class, method)),
				RequestLifecycleTests.class, NOTHING);
	}

	void calls() {
	}

	void all() {
	}

	private static Rule onOrders() {
		return rule("orders").selection(TestRules.onPath("/orders"));
	}

}
