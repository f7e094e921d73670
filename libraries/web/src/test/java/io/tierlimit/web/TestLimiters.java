package io.tierlimit.web;

import java.io.IOException;
import java.lang.reflect.Method;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.tierlimit.Verdict;
import io.tierlimit.evaluation.CallerLimits;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.EvaluationObserver;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.StandaloneCalls;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.key.IdentityResolver;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.web.header.HeaderStyle;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.header.RetryAfterJitter;
import io.tierlimit.web.proxy.ClientAddresses;
import io.tierlimit.web.proxy.ForwardedHeader;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/**
 * Limiters of requests for tests: without trusted proxies, without annotated methods,
 * with the headers of draft 11, and with problem details as the body of a rejection.
 */
public final class TestLimiters {

	/** A look-up that finds no handler for any request. */
	public static final HandlerLookup NO_HANDLER = (request, arrived) -> null;

	private TestLimiters() {
	}

	/** An evaluator that adds the verdicts of completed requests to a list. */
	static TestEvaluator publishing(List<Verdict> published, Rule... rules) {
		return TestEvaluators.of(TestEvaluators.memory(100), new VerdictPublisher(EvaluationObserver.NONE,
				() -> List.of((verdict, caller) -> published.add(verdict))), WaitQueue.NONE, rules);
	}

	/** A limiter for requests without a handler and without management endpoints. */
	public static RequestRateLimiter of(TestEvaluator evaluator) {
		return of(evaluator, NO_HANDLER);
	}

	/** A limiter for requests without a handler whose callers may have plans. */
	static RequestRateLimiter of(TestEvaluator evaluator, PlanResolver plans) {
		return of(evaluator, NO_HANDLER, new Methods(false), plans);
	}

	public static RequestRateLimiter of(TestEvaluator evaluator, HandlerLookup handlers) {
		return of(evaluator, handlers, new Methods(false));
	}

	public static RequestRateLimiter of(TestEvaluator evaluator, HandlerLookup handlers, MethodRulesLookup methods) {
		return of(evaluator, handlers, methods, (caller) -> null);
	}

	/** A limiter for requests without a handler, with a clock in microseconds. */
	static RequestRateLimiter of(TestEvaluator evaluator, LongSupplier clock) {
		return of(evaluator, NO_HANDLER, new Methods(false), (caller) -> null, clock);
	}

	private static RequestRateLimiter of(TestEvaluator evaluator, HandlerLookup handlers, MethodRulesLookup methods,
			PlanResolver plans) {
		return of(evaluator, handlers, methods, plans, () -> 0);
	}

	private static RequestRateLimiter of(TestEvaluator evaluator, HandlerLookup handlers, MethodRulesLookup methods,
			PlanResolver plans, LongSupplier clock) {
		return new RequestRateLimiter(evaluator.evaluator(), callers(handlers, plans), rules(evaluator, handlers),
				methods, responses(),
				new StandaloneCalls(evaluator.activeRules(), methods, evaluator.evaluator(), () -> Caller.UNKNOWN),
				clock);
	}

	static RequestRulesLookup rules(TestEvaluator evaluator, HandlerLookup handlers) {
		return new RequestRulesLookup(evaluator.activeRules(),
				new RequestRules.Options(null, null, handlers::ignoresCase));
	}

	public static RateLimitFilter filter(Stage stage, RequestRateLimiter limiter) {
		return new RateLimitFilter(stage, limiter, responses(), new UntrustedProxyWarning(() -> false),
				noLimitsHandler());
	}

	/** Serves a request by the filters before and after authentication. */
	static MockHttpServletResponse serve(RequestRateLimiter limiter, FilterChain handler, Runnable authentication)
			throws ServletException, IOException {
		MockHttpServletResponse response = new MockHttpServletResponse();
		filter(Stage.BEFORE_AUTHENTICATION, limiter).doFilter(new MockHttpServletRequest("GET", "/orders"), response,
				(request, next) -> {
					authentication.run();
					filter(Stage.AFTER_AUTHENTICATION, limiter).doFilter(request, next, handler);
				});
		return response;
	}

	/** A handler that responds to no request. */
	static LimitsHandler noLimitsHandler() {
		return new LimitsHandler(null,
				new CallerLimits(TestEvaluators.of().activeRules(), TestEvaluators.of().evaluator()), cors(),
				responses());
	}

	static HttpCallerFactory callers(HandlerLookup handlers) {
		return callers(handlers, (caller) -> null);
	}

	private static HttpCallerFactory callers(HandlerLookup handlers, PlanResolver plans) {
		return new HttpCallerFactory(
				new IdentityResolver(null, (principal) -> List.of(), (principal, claim) -> null, plans),
				new ClientAddresses(List.of(), ForwardedHeader.X_FORWARDED_FOR, 64), handlers);
	}

	static RateLimitResponses responses() {
		return new RateLimitResponses(
				new RateLimitHeaders(List.of(HeaderStyle.DRAFT_11), RetryAfterJitter.NONE, InstantSource.system()),
				cors(), new ProblemRejectionHandler(), (rejection, handler, request, response) -> false);
	}

	static CorsResponseHeaders cors() {
		return new CorsResponseHeaders(List::of, false);
	}

	/**
	 * Annotated methods, of which each has the rule with its name, or no annotated
	 * method.
	 */
	record Methods(boolean annotated) implements MethodRulesLookup {

		@Override
		public MethodRules of(CompiledRules rules, Method method, Class<?> type) {
			return this.annotated ? rules.view(view(method)) : MethodRules.NONE;
		}

		private static Function<CompiledRules, MethodRules> view(Method method) {
			return (rules) -> new MethodRules(
					List.of(new MatchedRule(Objects.requireNonNull(rules.rule(method.getName())), null)), Map.of());
		}

		@Override
		public boolean isAnnotated(Method method, Class<?> type) {
			return this.annotated;
		}

		@Override
		public boolean isEmpty() {
			return !this.annotated;
		}

	}

}
