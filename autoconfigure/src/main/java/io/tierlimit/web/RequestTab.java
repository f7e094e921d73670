package io.tierlimit.web;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.Tab;
import io.tierlimit.evaluation.Verdict;
import io.tierlimit.rule.Anonymous;
import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;

/**
 * A web request's tab, and who asks as far as that is known.
 */
final class RequestTab {

	private static final String ATTRIBUTE = RequestTab.class.getName();

	private final Tab tab;

	private final Set<DecidedStage> decided = new HashSet<>();

	private String method;

	private String uri;

	private HttpCaller caller;

	/** All that could be decided by now. */
	private Stage stage = Stage.BEFORE_AUTHENTICATION;

	private boolean forwarded;

	private boolean preflight;

	private boolean reached;

	private volatile boolean held;

	RequestTab(Tab tab, HttpServletRequest request, HttpCaller caller) {
		this.tab = tab;
		this.method = request.getMethod();
		this.uri = request.getRequestURI();
		this.caller = caller;
	}

	static @Nullable RequestTab of(HttpServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof RequestTab tab) ? tab : null;
	}

	static void forget(HttpServletRequest request) {
		request.removeAttribute(ATTRIBUTE);
	}

	void keepIn(HttpServletRequest request) {
		request.setAttribute(ATTRIBUTE, this);
	}

	/**
	 * Goes on with the request as somebody has wrapped it who knows more of the caller.
	 */
	void goOnWith(HttpServletRequest wrapper) {
		this.caller = this.caller.behind(wrapper);
		// In the end, when listeners are told, nobody is authenticated any more.
		this.caller.user();
		this.tab.goOnWith(this.caller);
	}

	/**
	 * Decides a stage. Of a request that was forwarded this adds what was not decided
	 * before. Rules that need to know who is authenticated wait for the stage behind
	 * that, and the page of a failed login is not rejected for want of a user.
	 */
	Verdict evaluate(List<MatchedRule> matched, Stage stage, boolean loginFailed) {
		if (!this.forwarded) {
			this.stage = (stage == Stage.AFTER_AUTHENTICATION) ? Stage.ONLY : stage;
			return this.tab.evaluate(matched, stage);
		}
		boolean anonymous = this.caller.user() == null;
		List<MatchedRule> due = new ArrayList<>(matched);
		if (this.reached) {
			// A handler may render its view, or go on elsewhere.
			due.removeIf((match) -> match.rule().rule().selection().paths().isEmpty()
					|| this.tab.isCharged(match.rule().rule()));
		}
		due.removeIf((match) -> anonymous && loginFailed && Stage.AFTER_AUTHENTICATION.decides(match.rule())
				&& match.rule().rule().scope().anonymous() == Anonymous.DENY);
		boolean before = anonymous && stage == Stage.BEFORE_AUTHENTICATION;
		return this.tab.evaluateForward(due, before ? this.stage : Stage.ONLY);
	}

	/** Goes on with the request as it was forwarded or dispatched to another target. */
	void forward(HttpServletRequest request, HttpCaller caller, MethodRules handler) {
		this.forwarded = true;
		this.method = request.getMethod();
		this.uri = request.getRequestURI();
		this.caller = caller;
		this.tab.forward(caller, handler);
	}

	/** Whether a request has the method and path that are being decided. */
	boolean isAt(HttpServletRequest request) {
		return this.method.equals(request.getMethod()) && this.uri.equals(request.getRequestURI());
	}

	/** Starts a stage for the present target; false if it was started before. */
	boolean start(Stage stage) {
		return this.decided.add(new DecidedStage(stage, this.method, this.uri));
	}

	/** Notes whether the request may be answered as a preflight. */
	void notePreflight(boolean preflight) {
		this.preflight = preflight;
	}

	boolean isPreflight() {
		return this.preflight;
	}

	boolean isAuthenticated() {
		return this.caller.user() != null;
	}

	/** Notes that the request is held, and will come back. */
	void hold() {
		this.held = true;
	}

	/** Whether the request is to come back, or has. */
	boolean isHeld() {
		return this.held;
	}

	boolean isReached() {
		return this.reached;
	}

	/** Notes that a handler has been reached, which may run. */
	void reach() {
		this.reached = true;
	}

	/**
	 * Whether a request is the one that was decided, and about to be served as expected.
	 */
	boolean isFor(HttpServletRequest request, Object handler) {
		Method method = (handler instanceof HandlerMethod known) ? known.getMethod() : null;
		return isAt(request) && this.caller.expects(method, request)
				&& (!isPreflight() || Handler.answersPreflights(handler));
	}

	boolean isForManagement() {
		Handler handler = handler();
		return handler != null && handler.management();
	}

	/** What will serve the request; looked up now if it hasn't been. */
	@Nullable Handler handler() {
		return this.caller.handler();
	}

	/** The handler that would have thrown the refusal, if it is no one else's. */
	@Nullable Handler refusingHandler() {
		return this.tab.isRefusedByHandler() ? this.caller.handler() : null;
	}

	Tab tab() {
		return this.tab;
	}

	private record DecidedStage(Stage stage, String method, String uri) {

	}

}
