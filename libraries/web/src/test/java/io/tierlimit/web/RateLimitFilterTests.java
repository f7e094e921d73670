package io.tierlimit.web;

import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.web.RateLimitExchange.Progress;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests which requests the filter checks, and how two filters share the exchange of a
 * request.
 */
class RateLimitFilterTests {

	private static final FilterChain UNREACHABLE = (request, response) -> {
		throw new IllegalStateException("not to be served");
	};

	private final List<Verdict> published = new ArrayList<>();

	private final TestEvaluator evaluator = TestLimiters.publishing(this.published, TestRules.rule("all", 10),
			TestRules.rule("view", 10).selection(TestRules.onPath("/view")),
			TestRules.rule("user", 1).scope(Scope.of(Scope.USER)));

	private final RequestRateLimiter limiter = TestLimiters.of(this.evaluator);

	private final RateLimitFilter first = TestLimiters.filter(Stage.BEFORE_AUTHENTICATION, this.limiter);

	private final RateLimitFilter second = TestLimiters.filter(Stage.AFTER_AUTHENTICATION, this.limiter);

	private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders");

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	@Test
	void requestThatIsNotHttpIsAnError() {
		assertThatExceptionOfType(ServletException.class)
			.isThrownBy(() -> this.first.doFilter(new ServletRequestWrapper(this.request), this.response, UNREACHABLE))
			.withMessageContaining("HTTP");
		assertThatExceptionOfType(ServletException.class)
			.isThrownBy(() -> this.first.doFilter(this.request, new ServletResponseWrapper(this.response), UNREACHABLE))
			.withMessageContaining("HTTP");
	}

	@Test
	void errorPageIsServedWithoutACheck() throws Exception {
		this.request.setDispatcherType(DispatcherType.FORWARD);
		this.request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, 500);
		MockFilterChain chain = new MockFilterChain();
		this.first.doFilter(this.request, this.response, chain);
		assertThat(chain.getRequest()).isSameAs(this.request);
		assertThat(remaining("all")).isEqualTo(10);
	}

	@Test
	void errorStatusAloneIsNotAnErrorPage() throws Exception {
		this.request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, 500);
		this.first.doFilter(this.request, this.response, new MockFilterChain());
		assertThat(remaining("all")).isEqualTo(9);
	}

	@Test
	void errorPageOfARequestIsNotANewTarget() throws Exception {
		this.first.doFilter(this.request, this.response, (request, response) -> {
			forward("/view");
			this.request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, 500);
			this.first.doFilter(request, response, new MockFilterChain());
		});
		assertThat(remaining("view")).isEqualTo(10);
		assertThat(rules()).containsExactly("all");
	}

	@Test
	void forwardedRequestIsCheckedForItsTarget() throws Exception {
		this.first.doFilter(this.request, this.response, (request, response) -> {
			forward("/view");
			this.first.doFilter(request, response, new MockFilterChain());
			assertThat(this.published).as("not over yet").isEmpty();
		});
		assertThat(remaining("view")).isEqualTo(9);
		assertThat(remaining("all")).isEqualTo(9);
		assertThat(rules()).containsExactly("all", "view");
	}

	@Test
	void secondFilterResumesTheExchangeThatTheFirstOneEnds() throws Exception {
		MockFilterChain chain = new MockFilterChain();
		this.first.doFilter(this.request, this.response, (request, response) -> {
			RateLimitExchange exchange = RateLimitExchange.of(this.request);
			assertThat(this.response.getHeader("RateLimit")).contains("all").doesNotContain("user");
			this.request.setRemoteUser("alice");
			this.second.doFilter(request, response, chain);
			assertThat(RateLimitExchange.of(this.request)).isSameAs(exchange);
			assertThat(this.published).as("not over yet").isEmpty();
		});
		assertThat(chain.getRequest()).isNotNull();
		assertThat(this.response.getHeader("RateLimit")).contains("all", "user");
		assertThat(remaining("all")).isEqualTo(9);
		assertThat(rules()).containsExactly("all", "user");
	}

	@Test
	void secondFilterReadsTheUserOfTheRequestThatAuthenticationHasWrapped() throws Exception {
		for (String user : List.of("alice", "bob")) {
			MockFilterChain chain = new MockFilterChain();
			this.first.doFilter(new MockHttpServletRequest("GET", "/orders"), this.response, (request,
					response) -> this.second.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request) {

						@Override
						public Principal getUserPrincipal() {
							return () -> user;
						}

					}, response, chain));
			assertThat(chain.getRequest()).as(user).isNotNull();
		}
	}

	@Test
	void asynchronousDispatchOfARequestThatAFilterChangedIsNotCheckedAgain() throws Exception {
		this.first.doFilter(this.request, this.response, (request, response) -> {
			this.request.setRequestURI("/view");
			assertThat(this.limiter.allowsHandler(this.request, this.response, new Object())).isTrue();
			this.request.setDispatcherType(DispatcherType.ASYNC);
			this.first.doFilter(request, response, new MockFilterChain());
		});
		assertThat(remaining("all")).isEqualTo(9);
		assertThat(remaining("view")).isEqualTo(9);
	}

	@Test
	void rejectionByTheSecondFilterRefundsTheChargesOfTheFirst() throws Exception {
		serveByBothFilters();
		MockHttpServletResponse rejected = new MockHttpServletResponse();
		this.first.doFilter(new MockHttpServletRequest("GET", "/orders"), rejected, (request, response) -> {
			assertThat(remaining("all")).isEqualTo(8);
			this.second.doFilter(request, response, UNREACHABLE);
		});
		assertThat(rejected.getStatus()).isEqualTo(429);
		assertThat(remaining("all")).isEqualTo(9);
	}

	@Test
	void rejectionAfterTheBodyWasReadRefundsNothing() throws Exception {
		serveByBothFilters();
		MockHttpServletRequest upload = new MockHttpServletRequest("POST", "/orders");
		upload.setContent(new byte[10]);
		this.first.doFilter(upload, new MockHttpServletResponse(), (request, response) -> {
			request.getInputStream();
			this.second.doFilter(request, response, UNREACHABLE);
		});
		assertThat(remaining("all")).isEqualTo(8);
	}

	@Test
	void secondFilterBeginsTheExchangeIfTheFirstWasNotReached() throws Exception {
		this.second.doFilter(this.request, this.response, new MockFilterChain());
		assertThat(rules()).containsExactly("user");
	}

	@ParameterizedTest
	@EnumSource(names = { "UNFILTERED", "COMPLETED" })
	void filterReplacesAnExchangeThatNoFilterWillEnd(Progress progress) throws Exception {
		new RateLimitExchange(this.evaluator.evaluator(), TestLimiters.callers(TestLimiters.NO_HANDLER),
				TestLimiters.rules(this.evaluator, TestLimiters.NO_HANDLER).current(), () -> 0, this.request, null,
				progress);
		this.first.doFilter(this.request, this.response, new MockFilterChain());
		assertThat(rules()).containsExactly("all");
	}

	@Test
	void everyLimitedRequestIsCheckedForAnUntrustedProxy() throws Exception {
		AtomicInteger calls = new AtomicInteger();
		RateLimitFilter filter = new RateLimitFilter(Stage.ALL, this.limiter, TestLimiters.responses(),
				new UntrustedProxyWarning(() -> calls.incrementAndGet() < 0), TestLimiters.noLimitsHandler());
		filter.doFilter(this.request, this.response, new MockFilterChain());
		assertThat(calls).hasValue(0);
		MockHttpServletRequest proxied = new MockHttpServletRequest("GET", "/orders");
		proxied.addHeader("X-Forwarded-For", "192.0.2.1");
		filter.doFilter(proxied, this.response, new MockFilterChain());
		assertThat(calls).hasValue(1);
	}

	private void serveByBothFilters() throws Exception {
		this.first.doFilter(this.request, this.response,
				(request, response) -> this.second.doFilter(request, response, new MockFilterChain()));
	}

	private void forward(String path) {
		this.request.setDispatcherType(DispatcherType.FORWARD);
		this.request.setRequestURI(path);
	}

	private long remaining(String rule) {
		return this.evaluator.remaining(rule);
	}

	/** The rules of the one verdict that was published. */
	private List<String> rules() {
		assertThat(this.published).hasSize(1);
		return this.published.get(0).decisions().stream().map(RuleDecision::rule).toList();
	}

}
