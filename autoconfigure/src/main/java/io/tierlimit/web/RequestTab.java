package io.tierlimit.web;

import java.lang.reflect.Method;
import java.util.List;

import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.Tab;
import io.tierlimit.evaluation.Verdict;
import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * A web request's tab, and who asks as far as that is known.
 */
final class RequestTab {

	private static final String ATTRIBUTE = RequestTab.class.getName();

	private final Tab tab;

	private final String method;

	private final String uri;

	private HttpCaller caller;

	/** All that could be decided by now. */
	private Stage stage = Stage.BEFORE_AUTHENTICATION;

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

	Verdict evaluate(List<MatchedRule> matched, Stage stage) {
		this.stage = (stage == Stage.AFTER_AUTHENTICATION) ? Stage.ONLY : stage;
		return this.tab.evaluate(matched, stage);
	}

	/** Goes on with the request as it was forwarded to somebody else. */
	void goOnWith(HttpCaller forwarded) {
		this.caller = forwarded;
		this.tab.goOnWith(forwarded);
	}

	/**
	 * Decides what a forwarded request is held to besides. Where it was forwarded before
	 * anybody was authenticated, the rules that need to know who is are left out.
	 */
	Verdict evaluateForward(List<MatchedRule> matched) {
		Stage known = (this.caller.user() != null) ? Stage.ONLY : this.stage;
		return this.tab.evaluateForward(matched, known);
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
	 * Whether a request is the one that was opened, and about to be served as expected.
	 */
	boolean isFor(HttpServletRequest request, @Nullable Method handler) {
		return this.method.equals(request.getMethod()) && this.uri.equals(request.getRequestURI())
				&& this.caller.expects(handler, request);
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

}
