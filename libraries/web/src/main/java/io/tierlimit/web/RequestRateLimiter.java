package io.tierlimit.web;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RateLimitTransaction;
import io.tierlimit.evaluation.RunningCall;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.rule.Account;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.web.RateLimitExchange.Progress;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Checks requests in the filters, before a handler runs, and when an annotated method is
 * called. This class finds the rules that apply, evaluates them in the transaction of the
 * request, and waits for permits. {@link RateLimitResponses} writes the headers or the
 * rejection.
 */
public final class RequestRateLimiter implements CurrentRequest {

	private final RateLimitEvaluator evaluator;

	private final HttpCallerFactory callers;

	private final RequestRulesLookup rules;

	private final MethodRulesLookup methods;

	private final RateLimitResponses responses;

	private final CurrentRequest standalone;

	private final LongSupplier clock;

	private volatile @Nullable Predicate<HttpServletRequest> annotated;

	/**
	 * Creates a limiter.
	 * @param evaluator decides on requests
	 * @param callers creates the caller of a request
	 * @param rules finds the rules that apply to a request
	 * @param methods finds the rules of a handler's method
	 * @param responses writes headers and rejections
	 * @param standalone evaluates calls outside of requests
	 * @param clock returns the current time in microseconds since any fixed time; read
	 * only if a rule needs the duration of requests
	 */
	public RequestRateLimiter(RateLimitEvaluator evaluator, HttpCallerFactory callers, RequestRulesLookup rules,
			MethodRulesLookup methods, RateLimitResponses responses, CurrentRequest standalone, LongSupplier clock) {
		this.evaluator = evaluator;
		this.callers = callers;
		this.rules = rules;
		this.methods = methods;
		this.responses = responses;
		this.standalone = standalone;
		this.clock = clock;
	}

	/** Begins the exchange of a request. */
	RateLimitExchange begin(HttpServletRequest request, @Nullable HttpServletResponse response, Progress progress) {
		return new RateLimitExchange(this.evaluator, this.callers, this.rules.current(), this.clock, request, response,
				progress);
	}

	/**
	 * Checks a request in a filter: the first time, and whenever it is forwarded or
	 * dispatched to another target.
	 * @return whether the request is allowed; otherwise, the response has been written
	 */
	boolean allows(Stage stage, RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		if (request.getDispatcherType() != DispatcherType.REQUEST && !exchange.target().isAt(request)) {
			exchange.forward(request);
			expectHandler(exchange);
		}
		else if (exchange.isHandlerReached() && (!exchange.isForwarded() || exchange.target().isStarted(stage))) {
			return true;
		}
		else {
			if (stage == Stage.AFTER_AUTHENTICATION) {
				exchange.authenticated(request);
			}
			if (exchange.target().isNew() && !this.methods.isEmpty() && annotated().test(request)) {
				expectHandler(exchange);
			}
		}
		return !exchange.target().start(stage) || check(stage, exchange, request, response);
	}

	private void expectHandler(RateLimitExchange exchange) {
		MethodRules handler = handlerRules(exchange);
		if (exchange.transaction() != null || !handler.isEmpty()) {
			exchange.beginTransaction().expect(handler);
		}
	}

	/**
	 * Determines whether an annotated method may serve a request. Only such requests need
	 * a look-up of the handler for its annotations. The predicate is created at the first
	 * request, since mappings are created after the filters. A method whose mapping is
	 * registered later is evaluated when it is called.
	 */
	private Predicate<HttpServletRequest> annotated() {
		Predicate<HttpServletRequest> known = this.annotated;
		if (known == null) {
			known = this.callers.handlers().requestsFor(this.methods::isAnnotated);
			this.annotated = known;
		}
		return known;
	}

	/**
	 * Checks a request again before a handler runs. A filter after the rate limit filter
	 * may have changed the method or the path of the request, or another condition of a
	 * mapping. In that case, earlier charges are refunded, and the request is evaluated
	 * again. If the request was forwarded or dispatched before it reached a handler,
	 * other code may have processed it. In that case, earlier charges are kept, and the
	 * charges of other rules are added.
	 * @param request the request that has reached the handler
	 * @param response the response
	 * @param handler the handler that is about to run
	 * @return whether the handler may run; otherwise, the response has been written
	 * @throws IOException if the response cannot be written
	 * @throws ServletException if the rejection handler fails otherwise
	 */
	public boolean allowsHandler(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws ServletException, IOException {
		RateLimitExchange exchange = RateLimitExchange.of(request);
		if (exchange == null || !exchange.isFiltered() || exchange.isHandlerReached() || isErrorOrInclude(request)) {
			return true;
		}
		if (!exchange.isFor(request, handler)) {
			RateLimitTransaction transaction = exchange.transaction();
			boolean untouched = transaction == null || transaction.isOpen();
			boolean allowed = (request.getDispatcherType() == DispatcherType.REQUEST && untouched)
					? checkChanged(exchange, request, response) : checkForwarded(exchange, request, response);
			if (!allowed) {
				return false;
			}
		}
		exchange.reachHandler(handler);
		return true;
	}

	private static boolean isErrorOrInclude(HttpServletRequest request) {
		return switch (request.getDispatcherType()) {
			case REQUEST, ASYNC -> false;
			case FORWARD -> RateLimitFilter.isErrorPage(request);
			case ERROR, INCLUDE -> true;
		};
	}

	private boolean checkForwarded(RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		exchange.forward(request);
		expectHandler(exchange);
		return check(Stage.ALL, exchange, request, response);
	}

	/**
	 * Evaluates a changed request again. If the request is rejected or cannot be
	 * evaluated, and its body has been read, its earlier charges are restored.
	 */
	private boolean checkChanged(RateLimitExchange exchange, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		RateLimitTransaction transaction = exchange.transaction();
		if (transaction != null) {
			transaction.restart();
		}
		Verdict verdict = null;
		try {
			exchange.change(request);
			expectHandler(exchange);
			verdict = evaluateAndWait(Stage.ALL, exchange, request);
		}
		finally {
			if (verdict == null || !verdict.allowed()) {
				undoRestart(transaction, request);
			}
		}
		return respond(verdict, exchange, request, response);
	}

	private static void undoRestart(@Nullable RateLimitTransaction transaction, HttpServletRequest request) {
		if (transaction != null && BodyTrackingRequest.isBodyRead(request)) {
			transaction.undoRestart();
		}
	}

	private boolean check(Stage stage, RateLimitExchange exchange, HttpServletRequest request,
			HttpServletResponse response) throws ServletException, IOException {
		Verdict verdict = evaluateAndWait(stage, exchange, request);
		if (!verdict.allowed()) {
			rollback(exchange, request);
		}
		return respond(verdict, exchange, request, response);
	}

	private boolean respond(Verdict verdict, RateLimitExchange exchange, HttpServletRequest request,
			HttpServletResponse response) throws ServletException, IOException {
		if (verdict.allowed()) {
			this.responses.write(exchange, request, response);
			return true;
		}
		this.responses.reject(verdict, exchange, request, response);
		return false;
	}

	/**
	 * Refunds the charges unless the body has been read, because uploads would be free.
	 */
	private static void rollback(RateLimitExchange exchange, HttpServletRequest request) {
		RateLimitTransaction transaction = exchange.transaction();
		if (transaction != null && !BodyTrackingRequest.isBodyRead(request)) {
			transaction.rollback();
		}
	}

	/**
	 * Evaluates the rules of a stage, and waits for permits. If the parameters cannot be
	 * read, the request is rejected as invalid, and consumes no permits.
	 */
	private Verdict evaluateAndWait(Stage stage, RateLimitExchange exchange, HttpServletRequest request) {
		try {
			Parameters.check(request);
			List<MatchedRule> matched = exchange.match(stage, request);
			if (matched.isEmpty() && exchange.transaction() == null) {
				return Verdict.UNLIMITED;
			}
			RateLimitTransaction transaction = exchange.beginTransaction();
			return exchange.await(exchange.isForwarded() ? evaluateForward(stage, matched, exchange, transaction)
					: transaction.evaluate(matched, stage));
		}
		catch (InvalidRequestValueException ex) {
			rollback(exchange, request);
			throw ex;
		}
	}

	/**
	 * Evaluates a forwarded request. Rules that need the principal are evaluated after
	 * authentication. After a failed login, {@code on-missing-key: deny} does not reject
	 * the forward to the login page. A handler may render its view with a forward. Once
	 * the handler was reached, a rule therefore applies only if it has paths and has not
	 * charged the request.
	 */
	private static Verdict evaluateForward(Stage stage, List<MatchedRule> matched, RateLimitExchange exchange,
			RateLimitTransaction transaction) {
		List<MatchedRule> remaining = new ArrayList<>(matched);
		if (exchange.isHandlerReached()) {
			remaining.removeIf((match) -> match.rule().rule().selection().paths().isEmpty()
					|| transaction.isCharged(match.rule().rule()));
		}
		boolean anonymous = exchange.caller().user() == null;
		if (anonymous && exchange.outcome().isAuthenticationFailed()) {
			remaining.removeIf((match) -> Stage.AFTER_AUTHENTICATION.decides(match.rule())
					&& match.rule().rule().scope().onMissingKey() == MissingKeyPolicy.DENY);
		}
		boolean before = anonymous && stage == Stage.BEFORE_AUTHENTICATION;
		return transaction.evaluateForward(remaining, before ? exchange.stage() : Stage.ALL);
	}

	private MethodRules handlerRules(RateLimitExchange exchange) {
		Handler handler = this.methods.isEmpty() ? null : exchange.handler();
		if (handler == null || handler.method() == null || handler.type() == null) {
			return MethodRules.NONE;
		}
		return this.methods.of(exchange.rules().all(), handler.method(), handler.type());
	}

	@Override
	public RunningCall beginCall(Method method, Class<?> type, @Nullable Object[] arguments) {
		if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
			return this.standalone.beginCall(method, type, arguments);
		}
		RateLimitExchange exchange = exchange(attributes);
		if (exchange == null) {
			return this.standalone.beginCall(method, type, arguments);
		}
		MethodRules rules = this.methods.of(exchange.rules().all(), method, type);
		if (rules.isEmpty()) {
			return RunningCall.WITHOUT_PERMITS;
		}
		RateLimitTransaction transaction = exchange.beginTransaction();
		boolean ofHandler = transaction.beginHandlerCall(rules);
		Verdict verdict = exchange.await(ofHandler ? transaction.evaluateHandlerCall(rules, arguments)
				: transaction.evaluateCall(rules, arguments));
		if (!ofHandler) {
			transaction.publishCall(verdict);
		}
		else if (verdict.allowed()) {
			transaction.commit();
		}
		else {
			rollback(exchange, attributes.getRequest());
		}
		if (!verdict.allowed()) {
			throw new RateLimitExceededException(verdict);
		}
		RunningCall call = ofHandler ? RunningCall.WITHOUT_PERMITS
				: transaction.beginCall(verdict, exchange.isFiltered());
		try {
			HttpServletResponse response = attributes.getResponse();
			if (response != null) {
				exchange.unlessCompleted(() -> this.responses.write(exchange, attributes.getRequest(), response));
			}
			return call;
		}
		catch (RuntimeException | Error ex) {
			call.end();
			throw ex;
		}
	}

	@Override
	public @Nullable RateLimitTransaction transaction() {
		RateLimitExchange exchange = RateLimitExchange.current();
		return (exchange != null && exchange.isFiltered()) ? exchange.beginTransaction() : null;
	}

	/**
	 * The exchange of a request that has not ended. Without a filter, as on a management
	 * port, only calls to annotated methods are evaluated.
	 */
	private @Nullable RateLimitExchange exchange(ServletRequestAttributes attributes) {
		HttpServletRequest request = attributes.getRequest();
		HttpServletResponse response = attributes.getResponse();
		try {
			RateLimitExchange exchange = RateLimitExchange.of(request);
			if (exchange == null) {
				return begin(request, response, Progress.UNFILTERED);
			}
			return exchange.isCompleted() ? null : exchange;
		}
		catch (RuntimeException ex) {
			// Containers throw if a thread reads a request that has ended.
			return null;
		}
	}

	/**
	 * Records an exception of a handler, even if an exception handler resolves it.
	 * @param request the request
	 * @param failure the exception
	 */
	public void recordFailureOfHandler(HttpServletRequest request, Exception failure) {
		RateLimitExchange exchange = RateLimitExchange.of(request);
		if (exchange != null) {
			exchange.outcome().recordFailureOfHandler(failure);
		}
	}

	@Override
	public void recordFailedAuthentication() {
		RateLimitExchange exchange = RateLimitExchange.current();
		if (exchange != null) {
			exchange.outcome().recordFailedAuthentication();
		}
	}

	@Override
	public void recordAuthentication(Account account) {
		RateLimitExchange exchange = RateLimitExchange.current();
		if (exchange != null) {
			exchange.outcome().recordAuthentication(account);
		}
	}

}
