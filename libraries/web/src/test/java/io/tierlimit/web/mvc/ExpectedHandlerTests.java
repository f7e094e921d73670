package io.tierlimit.web.mvc;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Endpoint;
import io.tierlimit.web.Handler;
import io.tierlimit.web.RequestRateLimiter;
import io.tierlimit.web.TestLimiters;
import jakarta.servlet.FilterChain;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.cors.PreFlightRequestHandler;
import org.springframework.web.method.HandlerMethod;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the interceptor for requests that reach another handler than the filter expected.
 */
class ExpectedHandlerTests {

	private static final PreFlightRequestHandler PREFLIGHTS = (request, response) -> {
	};

	private final AtomicInteger lookups = new AtomicInteger();

	private final AtomicInteger evaluations = new AtomicInteger();

	/** The handler that a look-up currently finds. */
	private @Nullable Handler handler;

	private MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders");

	private MockHttpServletResponse response = new MockHttpServletResponse();

	@Test
	void expectedMethodIsNeitherLookedUpNorEvaluatedAgain() throws Exception {
		Handler list = annotated("list");
		this.handler = list;
		RequestRateLimiter limiter = limiter(endpoint());
		filter(limiter, (request, response) -> assertThat(preHandle(limiter, list.object())).isTrue());
		assertThat(this.lookups).hasValue(1);
		assertThat(this.evaluations).hasValue(1);
	}

	@Test
	void methodIsExpectedIfASecondLookUpConfirmsTheFirst() throws Exception {
		this.handler = annotated("list");
		RequestRateLimiter limiter = limiter(endpoint());
		filter(limiter, (request, response) -> assertThat(preHandle(limiter, "a proxy of the handler")).isTrue());
		assertThat(this.evaluations).hasValue(1);
	}

	@Test
	void requestThatReachesAnotherMethodIsEvaluatedForThatMethod() throws Exception {
		Handler list = annotated("list");
		Handler create = annotated("create");
		RequestRateLimiter limiter = limiter(endpoint());
		this.handler = create;
		filter(limiter, new MockFilterChain());
		this.request = new MockHttpServletRequest("GET", "/orders");
		this.response = new MockHttpServletResponse();
		this.handler = list;
		filter(limiter, (request, response) -> {
			this.handler = create;
			assertThat(preHandle(limiter, create.object())).isFalse();
		});
		assertThat(this.response.getStatus()).isEqualTo(429);
	}

	@Test
	void supposedPreflightThatReachesAHandlerIsEvaluatedAsARequest() throws Exception {
		RequestRateLimiter limiter = limiter(authenticated());
		makePreflight();
		this.handler = new Handler(null, null, null, PREFLIGHTS, false, null);
		filter(limiter, (request, response) -> {
			Object reached = new Object();
			this.handler = new Handler(null, null, null, reached, false, null);
			assertThat(preHandle(limiter, reached)).isFalse();
		});
		assertThat(this.response.getStatus()).isEqualTo(403);
	}

	@Test
	void preflightThatReachesItsHandlerIsNotEvaluatedAgain() throws Exception {
		RequestRateLimiter limiter = limiter(authenticated(), TestRules.rule("all", 10));
		makePreflight();
		this.handler = new Handler(null, null, null, PREFLIGHTS, false, null);
		filter(limiter, (request, response) -> assertThat(preHandle(limiter, PREFLIGHTS)).isTrue());
		assertThat(this.evaluations).hasValue(1);
	}

	@Test
	void requestMayBecomeAPreflightWhenAFilterChangesItsPath() throws Exception {
		RequestRateLimiter limiter = limiter(authenticated().selection(TestRules.onPath("/changed")));
		makePreflight();
		filter(limiter, (request, response) -> {
			this.request.setRequestURI("/changed");
			this.handler = new Handler(null, null, null, PREFLIGHTS, false, null);
			assertThat(preHandle(limiter, PREFLIGHTS)).isTrue();
		});
		assertThat(this.response.getStatus()).isEqualTo(200);
	}

	private RequestRateLimiter limiter(Rule... rules) {
		VerdictPublisher publisher = new VerdictPublisher((evaluation) -> {
			this.evaluations.incrementAndGet();
			return evaluation.get();
		}, List::of);
		TestEvaluator evaluator = TestEvaluators.of(TestEvaluators.memory(100), publisher, WaitQueue.NONE, rules);
		return TestLimiters.of(evaluator, (request, arrived) -> {
			this.lookups.incrementAndGet();
			return this.handler;
		});
	}

	private void filter(RequestRateLimiter limiter, FilterChain chain) throws Exception {
		TestLimiters.filter(Stage.ALL, limiter).doFilter(this.request, this.response, chain);
	}

	private boolean preHandle(RequestRateLimiter limiter, Object reached) {
		try {
			return new RateLimitHandlerInterceptor(() -> limiter).preHandle(this.request, this.response, reached);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void makePreflight() {
		this.request.setMethod("OPTIONS");
		this.request.addHeader("Origin", "https://shop.example");
		this.request.addHeader("Access-Control-Request-Method", "GET");
	}

	private static Rule endpoint() {
		return TestRules.rule("endpoint", 1).scope(Scope.of(Scope.ENDPOINT));
	}

	/** A rule that rejects anonymous callers, except for preflights. */
	private static Rule authenticated() {
		return TestRules.rule("user", 10).scope(new Scope(List.of(Scope.USER), null, MissingKeyPolicy.DENY));
	}

	private static Handler annotated(String method) {
		try {
			HandlerMethod handler = new HandlerMethod(new Orders(), method);
			return new Handler(new Endpoint("GET", "/" + method), handler.getMethod(), Orders.class, handler, false,
					null);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Orders {

		public void list() {
		}

		public void create() {
		}

	}

}
