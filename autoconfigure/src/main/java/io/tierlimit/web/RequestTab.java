package io.tierlimit.web;

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

	private boolean reached;

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
		this.tab.goOnWith(this.caller);
	}

	Verdict evaluate(List<MatchedRule> matched, Stage stage) {
		return this.tab.evaluate(matched, stage);
	}

	/**
	 * Notes that a handler is about to serve the request.
	 * @return whether it is the first, and the request is not the one that was opened
	 */
	boolean reachesHandlerChanged(HttpServletRequest request) {
		boolean first = !this.reached;
		this.reached = true;
		return first && !(this.method.equals(request.getMethod()) && this.uri.equals(request.getRequestURI()));
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
