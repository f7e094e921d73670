package io.tierlimit.web;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RateLimitTransaction;
import io.tierlimit.evaluation.Stage;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;

/**
 * One HTTP request and its response, as far as the limiter is concerned: the transaction,
 * the caller, the target (method and path) that was decided, and the outcome so far. The
 * one object with the state of the request: an attribute. Stages follow one another;
 * calls of annotated methods may be parallel. Completes the transaction when the response
 * is finished: when the filters are left or, after an asynchronous start, when the
 * container reports the completion.
 */
final class RateLimitExchange implements AsyncListener {

	private static final String ATTRIBUTE = RateLimitExchange.class.getName();

	private final RateLimitEvaluator evaluator;

	private final HttpCallerFactory callers;

	private final OutcomeRecorder outcome;

	/** The stages that were decided, each for one target. */
	private final List<DecidedStage> decided = new ArrayList<>(2);

	private volatile Progress progress;

	private HttpServletRequest request;

	private String method;

	private String uri;

	private @Nullable HttpCaller caller;

	/** {@code null} until a rule applies. */
	private volatile @Nullable RateLimitTransaction transaction;

	/** The rules that can be evaluated by now: those without a principal, or all. */
	private Stage stage = Stage.BEFORE_AUTHENTICATION;

	/** Behind authentication: that of the thread which has left it. */
	private @Nullable Principal principal;

	private boolean forwarded;

	/** The names of the headers that were written last. */
	private Set<String> headers = Set.of();

	/** True until the request is known not to be a CORS preflight. */
	private boolean preflight;

	private RateLimitExchange(RateLimitEvaluator evaluator, HttpCallerFactory callers, HttpServletRequest request,
			@Nullable HttpServletResponse response, Progress progress) {
		this.evaluator = evaluator;
		this.callers = callers;
		this.request = request;
		this.method = request.getMethod();
		this.uri = request.getRequestURI();
		this.outcome = new OutcomeRecorder(response);
		this.progress = progress;
		this.preflight = isFiltered();
	}

	/** Begins an exchange, and stores it in the request. */
	static RateLimitExchange begin(RateLimitEvaluator evaluator, HttpCallerFactory callers, HttpServletRequest request,
			@Nullable HttpServletResponse response, Progress progress) {
		RateLimitExchange exchange = new RateLimitExchange(evaluator, callers, request, response, progress);
		request.setAttribute(ATTRIBUTE, exchange);
		return exchange;
	}

	static @Nullable RateLimitExchange of(HttpServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof RateLimitExchange exchange) ? exchange : null;
	}

	/**
	 * The exchange of the request to which this thread is bound; {@code null} if there is
	 * none, or if the request is over.
	 */
	static @Nullable RateLimitExchange current() {
		try {
			return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
					? of(attributes.getRequest()) : null;
		}
		catch (RuntimeException ex) {
			// Containers let no thread read a request that is over.
			return null;
		}
	}

	boolean isFiltered() {
		return this.progress != Progress.UNFILTERED;
	}

	boolean isHandlerReached() {
		return this.progress == Progress.REACHED || this.progress == Progress.COMPLETED;
	}

	/** The handler is about to run: commits, unless its own call has to be evaluated. */
	void reachHandler() {
		this.progress = Progress.REACHED;
		RateLimitTransaction known = this.transaction;
		if (known != null) {
			known.commit();
		}
	}

	OutcomeRecorder outcome() {
		return this.outcome;
	}

	@Nullable RateLimitTransaction transaction() {
		return this.transaction;
	}

	/** Begins the transaction, if it has not begun: with the first rule that applies. */
	synchronized RateLimitTransaction beginTransaction() {
		RateLimitTransaction begun = this.transaction;
		if (begun == null) {
			begun = new RateLimitTransaction(this.evaluator, callerOfTransaction());
			this.transaction = begun;
		}
		return begun;
	}

	synchronized HttpCaller caller() {
		HttpCaller known = this.caller;
		if (known == null) {
			known = this.callers.of(this.request, this.progress != Progress.FILTERED);
			if (this.stage != Stage.BEFORE_AUTHENTICATION) {
				known = known.behind(this.request, this.principal);
			}
			this.caller = known;
		}
		return known;
	}

	/** What will serve the request; looked up now if it hasn't been. */
	@Nullable Handler handler() {
		return caller().handler();
	}

	boolean isForManagement() {
		Handler handler = handler();
		return handler != null && handler.management();
	}

	/**
	 * Continues with the request behind authentication, which has wrapped it.
	 */
	void authenticated(HttpServletRequest wrapper) {
		this.request = wrapper;
		this.stage = Stage.ALL;
		this.principal = wrapper.getUserPrincipal();
		HttpCaller before = this.caller;
		this.caller = (before != null) ? before.behind(wrapper, this.principal) : null;
		RateLimitTransaction known = this.transaction;
		if (known != null) {
			known.continueAs(callerOfTransaction());
		}
	}

	/** At completion, when listeners are notified, nobody is authenticated any more. */
	private HttpCaller callerOfTransaction() {
		HttpCaller caller = caller();
		if (this.stage != Stage.BEFORE_AUTHENTICATION) {
			caller.user();
		}
		return caller;
	}

	/** Continues with the request as it was forwarded or dispatched. */
	void forward(HttpServletRequest request, Function<HttpCaller, MethodRules> handlers) {
		this.forwarded = true;
		target(request, handlers);
	}

	/**
	 * Continues with the request as a filter has changed it, which is decided anew.
	 */
	void change(HttpServletRequest request, Function<HttpCaller, MethodRules> handlers) {
		this.decided.clear();
		this.preflight = true;
		target(request, handlers);
	}

	private void target(HttpServletRequest request, Function<HttpCaller, MethodRules> handlers) {
		this.request = request;
		this.method = request.getMethod();
		this.uri = request.getRequestURI();
		HttpCaller there = this.callers.of(request, true);
		this.caller = there;
		MethodRules handler = handlers.apply(there);
		if (this.transaction != null || !handler.isEmpty()) {
			beginTransaction().continueAs(there);
			beginTransaction().expect(handler);
		}
	}

	boolean isForwarded() {
		return this.forwarded;
	}

	/** What can be decided by now, of which some may have been. */
	Stage stage() {
		return this.stage;
	}

	/** Whether a request has the method and path that are being decided. */
	boolean isAt(HttpServletRequest request) {
		return this.method.equals(request.getMethod()) && this.uri.equals(request.getRequestURI());
	}

	/**
	 * Whether a request is the one that was decided, and about to be served as expected.
	 */
	boolean isFor(HttpServletRequest request, Object handler) {
		Method method = (handler instanceof HandlerMethod known) ? known.getMethod() : null;
		HttpCaller known = this.caller;
		return isAt(request) && (known == null || known.expects(method, request))
				&& (!this.preflight || Handler.answersPreflights(handler));
	}

	/** Whether nothing was decided yet. */
	boolean isNew() {
		return this.decided.isEmpty();
	}

	/** Starts a stage for the present target; false if it was started before. */
	boolean start(Stage stage) {
		DecidedStage started = new DecidedStage(stage, this.method, this.uri);
		return !this.decided.contains(started) && this.decided.add(started);
	}

	/** Whether the request may be answered as a preflight, as far as is known by now. */
	boolean isPreflight() {
		return this.preflight;
	}

	void checkPreflight(CorsResponseHeaders cors, HttpServletRequest request) {
		this.preflight = this.preflight && cors.mayBePreflight(this, request);
	}

	/**
	 * Sets which headers the response has from now on.
	 * @return those of before that it has no longer
	 */
	synchronized Set<String> replaceHeaders(Set<String> written) {
		Set<String> outdated = new HashSet<>(this.headers);
		outdated.removeAll(written);
		this.headers = written;
		return outdated;
	}

	/**
	 * Completes the transaction after the filter chain, or has the container report the
	 * completion of an asynchronous request.
	 */
	void end(HttpServletRequest request) {
		if (request.isAsyncStarted()) {
			this.outcome.recordAsynchronous();
			request.getAsyncContext().addListener(this);
			return;
		}
		if (this.preflight && this.transaction != null && caller().user() == null) {
			this.outcome.recordPreflight();
		}
		complete();
	}

	/** Does something with the response, unless it is finished. */
	synchronized void unlessCompleted(Runnable action) {
		if (!isCompleted()) {
			action.run();
		}
	}

	boolean isCompleted() {
		return this.progress == Progress.COMPLETED;
	}

	private void complete() {
		synchronized (this) {
			this.progress = Progress.COMPLETED;
		}
		RateLimitTransaction ended = this.transaction;
		if (ended == null) {
			return;
		}
		ended.complete(this.outcome.result());
	}

	@Override
	public void onComplete(AsyncEvent event) {
		complete();
	}

	@Override
	public void onTimeout(AsyncEvent event) {
		// The status says so once the request is complete.
	}

	@Override
	public void onError(AsyncEvent event) {
		this.outcome.recordAsynchronousFailure(event.getThrowable());
	}

	@Override
	public void onStartAsync(AsyncEvent event) {
		this.outcome.recordAsynchronous();
		// Each round has listeners of its own.
		event.getAsyncContext().addListener(this);
	}

	/**
	 * How far a request has come.
	 */
	enum Progress {

		/** No filter has seen it: only calls within it are evaluated. */
		UNFILTERED,

		/** The filter has seen it. */
		FILTERED,

		/** A handler has been reached: its arguments are about to be bound. */
		REACHED,

		/** The response is finished, and may serve another request. */
		COMPLETED

	}

	private record DecidedStage(Stage stage, String method, String uri) {

	}

}
