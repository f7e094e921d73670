package io.tierlimit.web;

import java.io.IOException;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;

import io.tierlimit.HeaderVisibility;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.RunningCall;
import io.tierlimit.evaluation.Sleeper;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.TestRules;
import io.tierlimit.web.RateLimitExchange.Progress;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.cors.PreFlightRequestHandler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests a request from its start to its completion, without a server: what is charged,
 * refunded, written and published at each point.
 */
class RequestLifecycleTests {

	private static final Object[] NOTHING = {};

	private static final Object HANDLER = new Object();

	private final List<Verdict> published = new ArrayList<>();

	private final TestEvaluator evaluator = TestLimiters.publishing(this.published, rule("all"), onOrders(),
			rule("calls").selection(TestRules.CODE), inUse("exports").selection(TestRules.CODE),
			inUse("requests").selection(TestRules.onPath("/exports")));

	private final RequestRateLimiter limiter = TestLimiters.of(this.evaluator, TestLimiters.NO_HANDLER,
			new TestLimiters.Methods(true));

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
	void rejectedCallInTheHandlerRefundsNothing() throws Exception {
		this.evaluator.limiter().acquire(PermitRequest.of("calls").cost(10));
		filter((request, response) -> {
			assertThat(this.limiter.allowsHandler(this.request, this.response, HANDLER)).isTrue();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> call("calls"));
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
		call("all");
		assertThat(left("all")).as("charged like any call without a request").isEqualTo(8);
		assertThat(this.response.getHeaderNames()).as("the response may serve another request").isEmpty();
	}

	@Test
	void callUnderARuleForCodeReleasesItsPermitsAtItsEnd() throws Exception {
		filter((request, response) -> {
			RunningCall first = call("exports");
			assertThat(left("exports")).isOne();
			RunningCall nested = call("exports");
			assertThatExceptionOfType(RateLimitExceededException.class).as("a third call, nested in the others")
				.isThrownBy(() -> call("exports"));
			nested.end();
			nested.end();
			assertThat(left("exports")).isOne();
			first.end();
			assertThat(left("exports")).isEqualTo(2);
		});
		assertThat(left("exports")).isEqualTo(2);
	}

	@Test
	void callThatContinuesAfterTheRequestKeepsItsPermitsUntilItsEnd() throws Exception {
		List<RunningCall> running = new ArrayList<>();
		filter((request, response) -> {
			running.add(call("exports"));
			running.add(call("exports"));
		});
		assertThat(left("exports")).isZero();
		running.forEach(RunningCall::end);
		assertThat(left("exports")).isEqualTo(2);
	}

	@Test
	void callUnderARuleForRequestsReleasesItsPermitsAtTheEndOfTheRequest() throws Exception {
		filter((request, response) -> {
			RunningCall first = call("requests");
			first.end();
			assertThat(left("requests")).as("until the end of the request").isOne();
			call("requests").end();
			assertThat(left("requests")).as("once for each request").isOne();
		});
		assertThat(left("requests")).isEqualTo(2);
	}

	@Test
	void callInARequestWithoutAFilterReleasesAllItsPermitsAtItsEnd() {
		RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(this.request, this.response));
		for (int i = 0; i < 3; i++) {
			RunningCall call = call("requests");
			assertThat(left("requests")).isOne();
			call.end();
			assertThat(left("requests")).isEqualTo(2);
		}
	}

	@Test
	void callWithoutARequestReleasesItsPermitsAtItsEnd() {
		for (String method : List.of("requests", "exports", "exports", "exports")) {
			RunningCall call = call(method);
			assertThat(left(method)).isOne();
			call.end();
			assertThat(left(method)).isEqualTo(2);
		}
	}

	@ParameterizedTest
	@EnumSource
	void failedWriteOfAnAsynchronousRequestReleasesPermitsThatWereAcquiredInTheChain(Acquisition acquisition)
			throws Exception {
		DisconnectedResponse disconnected = new DisconnectedResponse(this.response);
		this.request.setRequestURI("/other");
		this.request.setAsyncSupported(true);
		RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(this.request, disconnected));
		List<ServletResponse> responses = new ArrayList<>();
		TestLimiters.filter(Stage.ALL, this.limiter).doFilter(this.request, disconnected, (request, response) -> {
			acquire(acquisition);
			request.startAsync();
			responses.add(response);
		});
		assertThat(left("requests")).isOne();
		this.response.setCommitted(true);
		assertThatIOException().isThrownBy(() -> responses.get(0).getOutputStream().write(1));
		assertThat(left("requests")).isEqualTo(2);
	}

	private void acquire(Acquisition acquisition) throws ServletException, IOException {
		if (acquisition == Acquisition.CALL) {
			call("requests").end();
			return;
		}
		this.request.setRequestURI("/exports");
		this.request
			.setDispatcherType((acquisition == Acquisition.FORWARD) ? DispatcherType.FORWARD : DispatcherType.REQUEST);
		assertThat(this.limiter.allowsHandler(this.request, this.response, HANDLER)).isTrue();
	}

	@Test
	void asynchronousRequestThatHasAlreadyEndedReleasesItsPermits() throws Exception {
		this.request.setRequestURI("/exports");
		filter((request, response) -> {
			this.request.setAsyncStarted(true);
			this.request.setAsyncContext(new MockAsyncContext(request, response) {

				@Override
				public void addListener(AsyncListener listener) {
					throw new IllegalStateException("The request has ended");
				}

			});
			assertThat(left("requests")).isOne();
		});
		assertThat(left("requests")).isEqualTo(2);
		assertThat(this.published).hasSize(1);
	}

	@Test
	void requestWhoseResponseCanNoLongerBeReadReleasesItsPermits() throws Exception {
		MockHttpServletResponse ended = new MockHttpServletResponse() {

			@Override
			public int getStatus() {
				throw new IllegalStateException("The response has ended");
			}

		};
		this.request.setRequestURI("/exports");
		TestLimiters.filter(Stage.ALL, this.limiter)
			.doFilter(this.request, ended, (request, response) -> assertThat(left("requests")).isOne());
		assertThat(left("requests")).isEqualTo(2);
	}

	@Test
	void preflightWhoseUserCannotBeReadReleasesItsPermits() {
		PreFlightRequestHandler preflights = (request, response) -> {
		};
		RequestRateLimiter limiter = TestLimiters.of(this.evaluator,
				(request, arrived) -> new Handler(null, null, null, preflights, false, null));
		MockHttpServletRequest preflight = new MockHttpServletRequest("OPTIONS", "/exports") {

			@Override
			public Principal getUserPrincipal() {
				throw new IllegalStateException("on purpose");
			}

		};
		preflight.addHeader("Origin", "https://a.example");
		preflight.addHeader("Access-Control-Request-Method", "GET");
		assertThatIllegalStateException().isThrownBy(() -> TestLimiters.filter(Stage.ALL, limiter)
			.doFilter(preflight, this.response, (request, response) -> assertThat(left("requests")).isOne()));
		assertThat(left("requests")).isEqualTo(2);
	}

	@Test
	void callThatCannotWriteItsHeadersHoldsNothing() throws Exception {
		this.request.setRequestURI("/other");
		MockHttpServletResponse broken = new MockHttpServletResponse() {

			@Override
			public void setHeader(@Nullable String name, @Nullable String value) {
				throw new IllegalStateException("on purpose");
			}

		};
		filter((request, response) -> {
			RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(this.request, broken));
			assertThatIllegalStateException().isThrownBy(() -> call("exports"));
			assertThat(left("exports")).isEqualTo(2);
		});
	}

	@Test
	void callAndRequestWaitUntilPermitsAreReleased() throws Exception {
		List<Runnable> releases = new ArrayList<>();
		Sleeper sleeper = new Sleeper() {

			@Override
			public void sleep(Duration time) {
				throw new IllegalStateException("No permits are reserved");
			}

			@Override
			public void sleep(Duration time, Semaphore signal) {
				releases.remove(0).run();
				assertThat(signal.tryAcquire()).isTrue();
			}

		};
		ReservationOptions oneSecond = new ReservationOptions(0, Duration.ofSeconds(1));
		TestEvaluator waiting = TestEvaluators.of(TestEvaluators.memory(100), VerdictPublisher.NONE,
				new WaitQueue(1, sleeper),
				inUse("exports").selection(TestRules.CODE).options((options) -> options.with(oneSecond)),
				inUse("requests").selection(TestRules.onPath("/orders")).options((options) -> options.with(oneSecond)));
		RequestRateLimiter limiter = TestLimiters.of(waiting, TestLimiters.NO_HANDLER, new TestLimiters.Methods(true));
		releases.add(waiting.limiter().hold(PermitRequest.of("requests").cost(2))::close);
		releases.add(waiting.limiter().hold(PermitRequest.of("exports").cost(2))::close);
		filter(limiter, (request, response) -> {
			assertThat(waiting.remaining("requests")).isOne();
			RunningCall call = call(limiter, "exports");
			assertThat(waiting.remaining("exports")).isOne();
			call.end();
		});
		assertThat(releases).isEmpty();
		assertThat(waiting.remaining("requests")).isEqualTo(2);
		assertThat(waiting.remaining("exports")).isEqualTo(2);
	}

	@Test
	void callUnderPlainRulesHasNothingToEnd() throws Exception {
		filter((request, response) -> assertThat(call("calls")).isSameAs(RunningCall.WITHOUT_PERMITS));
		RequestContextHolder.resetRequestAttributes();
		assertThat(call("calls")).isSameAs(RunningCall.WITHOUT_PERMITS);
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
			.options((options) -> new RuleOptions(options.mode(), HeaderVisibility.HIDDEN, null, options.values()));
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

	private RunningCall call(String method) {
		return call(this.limiter, method);
	}

	private static RunningCall call(RequestRateLimiter limiter, String method) {
		return limiter.beginCall(
				Objects.requireNonNull(ReflectionUtils.findMethod(RequestLifecycleTests.class, method)),
				RequestLifecycleTests.class, NOTHING);
	}

	private static Rule inUse(String id) {
		return TestRules.rule(id, Concurrency.of(2, Duration.ofMinutes(10)));
	}

	void calls() {
	}

	void exports() {
	}

	void requests() {
	}

	void all() {
	}

	private static Rule onOrders() {
		return rule("orders").selection(TestRules.onPath("/orders"));
	}

	/**
	 * How a request acquires permits after the filter.
	 */
	enum Acquisition {

		CALL, CHANGE, FORWARD

	}

}
