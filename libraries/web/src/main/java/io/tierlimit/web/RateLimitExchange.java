package io.tierlimit.web;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

import io.tierlimit.Verdict;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RateLimitTransaction;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.rule.RequestOutcome;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;

/**
 * The state of one HTTP request and its response: the transaction, the caller, the target
 * (method and path) that was evaluated, and the outcome so far. It is stored in a request
 * attribute, and contains all state of the limiter for the request. Stages are
 * sequential; calls to annotated methods may be parallel. The exchange completes the
 * transaction when the response is finished: at the end of the filters or, after an
 * asynchronous start, when the container reports the completion.
 */
final class RateLimitExchange {

	private static final String ATTRIBUTE = RateLimitExchange.class.getName();

	private final RateLimitEvaluator evaluator;

	private final HttpCallerFactory callers;

	private final RequestRules rules;

	private final @Nullable HttpServletResponse response;

	/** {@code null} until a rule needs it. */
	private volatile @Nullable ExchangeFactsRecorder facts;

	/** {@code null} until it is first needed. */
	private @Nullable OutcomeRecorder outcome;

	private volatile Progress progress;

	private HttpServletRequest request;

	private EvaluatedTarget target;

	private @Nullable HttpCaller caller;

	/** {@code null} until the first rule applies. */
	private volatile @Nullable RateLimitTransaction transaction;

	/**
	 * The rules that can be evaluated so far: all rules, or only rules that need no
	 * principal.
	 */
	private Stage stage = Stage.BEFORE_AUTHENTICATION;

	/** The principal of the thread that has completed the authentication. */
	private @Nullable Principal principal;

	private boolean forwarded;

	/** The names of the headers that were written last. */
	private Set<String> headers = Set.of();

	/** True until the request is known not to be a CORS preflight. */
	private boolean preflight;

	/** Whether the duration of the request is measured until its end. */
	private boolean measured;

	/** Whether the container reports the end of the request. */
	private volatile boolean listening;

	/**
	 * The first exception of a filter, or of a write to the response; {@code null} for
	 * none.
	 */
	private volatile @Nullable Throwable failure;

	/**
	 * Begins an exchange, and stores it in the request.
	 * @param clock returns the current time in microseconds; read only if a rule needs
	 * the duration
	 */
	RateLimitExchange(RateLimitEvaluator evaluator, HttpCallerFactory callers, RequestRules rules, LongSupplier clock,
			HttpServletRequest request, @Nullable HttpServletResponse response, Progress progress) {
		this.evaluator = evaluator;
		this.callers = callers;
		this.rules = rules;
		this.request = request;
		this.response = response;
		this.target = new EvaluatedTarget(request, null);
		this.progress = progress;
		this.preflight = isFiltered();
		this.measured = isFiltered();
		this.facts = rules.all().tracksResponses() ? new ExchangeFactsRecorder(clock) : null;
		request.setAttribute(ATTRIBUTE, this);
	}

	static @Nullable RateLimitExchange of(HttpServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof RateLimitExchange exchange) ? exchange : null;
	}

	/**
	 * The exchange of the request to which this thread is bound; {@code null} if there is
	 * none, or if the request has ended.
	 */
	static @Nullable RateLimitExchange current() {
		try {
			return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
					? of(attributes.getRequest()) : null;
		}
		catch (RuntimeException ex) {
			// Containers throw if a thread reads a request that has ended.
			return null;
		}
	}

	/** The rules that were active when the request began. */
	RequestRules rules() {
		return this.rules;
	}

	boolean isFiltered() {
		return this.progress != Progress.UNFILTERED;
	}

	boolean isHandlerReached() {
		return this.progress == Progress.REACHED || this.progress == Progress.COMPLETED;
	}

	/**
	 * Records that the handler is about to run, and commits the charges unless the call
	 * to the handler must still be evaluated. A request for the error path is not
	 * measured, because its status 500 does not show a failure of the server.
	 */
	void reachHandler(Object handler) {
		this.progress = Progress.REACHED;
		HttpCaller caller = this.caller;
		if (caller != null && caller.hasUnmappedHandler()) {
			outcome().recordUnmappedHandler();
		}
		RateLimitTransaction known = this.transaction;
		if (Handler.servesErrors(handler)) {
			this.measured = false;
			if (known != null) {
				known.cancelInFlight();
			}
		}
		if (known != null) {
			known.commit();
		}
	}

	synchronized OutcomeRecorder outcome() {
		OutcomeRecorder known = this.outcome;
		if (known == null) {
			known = new OutcomeRecorder(this.response);
			this.outcome = known;
		}
		return known;
	}

	@Nullable RateLimitTransaction transaction() {
		return this.transaction;
	}

	/**
	 * Begins the transaction if it has not begun. Called for the first rule that applies.
	 */
	synchronized RateLimitTransaction beginTransaction() {
		RateLimitTransaction begun = this.transaction;
		if (begun == null) {
			begun = new RateLimitTransaction(this.evaluator, callerOfTransaction(),
					() -> Parameters.check(this.request));
			this.transaction = begun;
		}
		return begun;
	}

	/**
	 * Waits for the permits of a verdict, and measures the request from then to its end.
	 */
	Verdict await(Verdict verdict) {
		RateLimitTransaction begun = beginTransaction();
		Verdict decided = begun.await(verdict);
		if (this.measured) {
			begun.begin(decided);
		}
		return decided;
	}

	synchronized HttpCaller caller() {
		HttpCaller known = this.caller;
		if (known == null) {
			known = this.callers.of(this.request, this.progress != Progress.FILTERED);
			if (this.stage != Stage.BEFORE_AUTHENTICATION) {
				known = known.afterAuthentication(this.request, this.principal);
			}
			this.caller = known;
		}
		return known;
	}

	/** The handler of the request, which is looked up if necessary. */
	@Nullable Handler handler() {
		return caller().handler();
	}

	boolean isForManagement() {
		Handler handler = handler();
		return handler != null && handler.management();
	}

	/**
	 * Continues after authentication, with the wrapper of the request.
	 */
	void authenticated(HttpServletRequest wrapper) {
		this.request = wrapper;
		this.stage = Stage.ALL;
		this.principal = wrapper.getUserPrincipal();
		HttpCaller before = this.caller;
		this.caller = (before != null) ? before.afterAuthentication(wrapper, this.principal) : null;
		RateLimitTransaction known = this.transaction;
		if (known != null) {
			known.continueAs(callerOfTransaction());
		}
	}

	/**
	 * Resolves the user now, because listeners are notified at completion, when the user
	 * is no longer authenticated.
	 */
	private HttpCaller callerOfTransaction() {
		HttpCaller caller = caller();
		if (this.stage != Stage.BEFORE_AUTHENTICATION) {
			caller.user();
		}
		return caller;
	}

	/** Continues with the target of a forward or a dispatch. */
	void forward(HttpServletRequest request) {
		this.forwarded = true;
		continueAt(request, new EvaluatedTarget(request, this.target));
	}

	/**
	 * Continues with a request that a filter has changed, which is evaluated again.
	 */
	void change(HttpServletRequest request) {
		this.preflight = true;
		continueAt(request, new EvaluatedTarget(request, null));
	}

	private void continueAt(HttpServletRequest request, EvaluatedTarget target) {
		this.request = request;
		this.target = target;
		HttpCaller there = this.callers.of(request, true);
		this.caller = there;
		RateLimitTransaction known = this.transaction;
		if (known != null) {
			known.continueAs(there);
		}
	}

	boolean isForwarded() {
		return this.forwarded;
	}

	/** The rules that can be evaluated so far; some of them may have been evaluated. */
	Stage stage() {
		return this.stage;
	}

	/** The current target. */
	EvaluatedTarget target() {
		return this.target;
	}

	/**
	 * Whether a request is the request that was evaluated, with the expected handler.
	 */
	boolean isFor(HttpServletRequest request, Object handler) {
		Method method = (handler instanceof HandlerMethod known) ? known.getMethod() : null;
		HttpCaller known = this.caller;
		return this.target.isAt(request) && (known == null || known.expects(method, request))
				&& (!this.preflight || Preflight.isAnsweredBy(handler));
	}

	/** Whether the request may be a preflight, as far as it is known. */
	boolean isPreflight() {
		return this.preflight;
	}

	/** Finds the rules of a stage that apply to a request at its current target. */
	List<MatchedRule> match(Stage stage, HttpServletRequest request) {
		this.preflight = this.preflight && Preflight.isPossible(this, request);
		return this.rules.match(stage, request, this);
	}

	/**
	 * Sets the names of the headers that were written.
	 * @return the names of earlier headers that must be removed
	 */
	synchronized Set<String> replaceHeaders(Set<String> written) {
		Set<String> earlier = this.headers;
		this.headers = written;
		if (earlier.isEmpty() || earlier == written) {
			return Set.of();
		}
		Set<String> outdated = new HashSet<>(earlier);
		outdated.removeAll(written);
		return outdated;
	}

	/**
	 * The recorder. It has begun late, without the duration, if the rule that needs it
	 * was added after the request had arrived.
	 */
	private synchronized ExchangeFactsRecorder facts() {
		ExchangeFactsRecorder known = this.facts;
		if (known == null) {
			known = new ExchangeFactsRecorder(null);
			this.facts = known;
		}
		return known;
	}

	/**
	 * The request for the rule look-up and the rest of the filter chain. If there are
	 * rules that read the size of the body, the bytes that are read are counted.
	 */
	HttpServletRequest countBody(HttpServletRequest request) {
		if (!this.rules.all().readsRequestBytes()) {
			return request;
		}
		HttpServletRequest counting = facts().countBody(request);
		if (counting != request) {
			this.request = counting;
		}
		return counting;
	}

	/**
	 * The response for the rest of the filter chain. If there are rules that need it, the
	 * bytes of the response are counted, and the exchange is notified of failed writes,
	 * so that an asynchronous request releases its permits even if the container does not
	 * report its end. The rest of the filter chain may acquire these permits, for example
	 * after a forward.
	 */
	HttpServletResponse track(HttpServletResponse response) {
		CompiledRules all = this.rules.all();
		return !all.tracksResponses() ? response
				: facts().track(response, this::recordFailedWrite, all.readsResponseBytes());
	}

	/** Records an exception that has left the filters. */
	void recordFailure(Throwable thrown) {
		outcome().recordFailure(thrown);
		endAfter(thrown);
	}

	private void recordFailedWrite(Throwable thrown) {
		outcome().recordFailedWrite();
		endAfter(thrown);
	}

	private void endAfter(Throwable thrown) {
		if (this.failure == null) {
			this.failure = thrown;
			endIfFailed();
		}
	}

	/**
	 * Ends an asynchronous request that has failed after its response was committed. Any
	 * other request ends when it leaves the filters, or when the container reports its
	 * end.
	 */
	private void endIfFailed() {
		Throwable known = this.failure;
		if (known != null && this.listening && !isCompleted()) {
			fail(known);
		}
	}

	/**
	 * Completes the transaction after the filter chain, even if an exception is thrown.
	 * For an asynchronous request, registers for its completion instead.
	 */
	void end(HttpServletRequest request) {
		try {
			this.listening = AsynchronousEnd.listen(this, request);
			if (!this.listening) {
				waivePreflight(request);
			}
		}
		finally {
			if (!this.listening) {
				complete();
			}
		}
		endIfFailed();
	}

	private void waivePreflight(HttpServletRequest request) {
		RateLimitTransaction known = this.transaction;
		if (this.preflight && known != null && caller().user() == null
				&& Preflight.isAllowed(request, this.response, outcome().result(isHandlerReached()))) {
			known.waive(Preflight::isFree);
		}
	}

	/** Runs an action on the response, unless the response is finished. */
	synchronized void unlessCompleted(Runnable action) {
		if (!isCompleted()) {
			action.run();
		}
	}

	boolean isCompleted() {
		return this.progress == Progress.COMPLETED;
	}

	void complete() {
		OutcomeRecorder recorded;
		boolean handled;
		synchronized (this) {
			handled = isHandlerReached();
			this.progress = Progress.COMPLETED;
			recorded = this.outcome;
		}
		RateLimitTransaction ended = this.transaction;
		if (ended != null) {
			ended.complete(withFacts(
					(recorded != null) ? recorded.result(handled) : OutcomeRecorder.result(this.response, handled)));
		}
	}

	private RequestOutcome withFacts(RequestOutcome outcome) {
		ExchangeFactsRecorder known = this.facts;
		return (known != null) ? outcome.with(known.end(this.response)) : outcome;
	}

	/** Records a failure of an asynchronous request. */
	void fail(@Nullable Throwable thrown) {
		OutcomeRecorder recorded = outcome();
		recorded.recordAsynchronousFailure(thrown);
		RateLimitTransaction ended = this.transaction;
		// If the response is committed, Jetty never reports the completion of the
		// request. A dispatch may follow, so the exchange is not completed here.
		if (ended != null && recorded.isCommitted()) {
			ended.complete(withFacts(recorded.result(isHandlerReached())));
		}
	}

	/**
	 * The progress of a request.
	 */
	enum Progress {

		/**
		 * The request has not passed a filter: only calls to annotated methods are
		 * evaluated.
		 */
		UNFILTERED,

		/** The request has reached the filter. */
		FILTERED,

		/** A handler has been reached: its arguments are about to be bound. */
		REACHED,

		/** The response is finished, and may serve another request. */
		COMPLETED

	}

}
