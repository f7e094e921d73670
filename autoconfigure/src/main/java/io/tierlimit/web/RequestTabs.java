package io.tierlimit.web;

import java.io.InterruptedIOException;
import java.util.Map;

import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.Tab;
import io.tierlimit.evaluation.Tabs;
import io.tierlimit.evaluation.Verdict;
import io.tierlimit.rule.Account;
import io.tierlimit.web.header.RateLimitHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A tab for every web request, whose header fields tell what is put on it.
 */
public final class RequestTabs implements Tabs {

	private final RateLimitEvaluator evaluator;

	private final HttpCallers callers;

	private final RateLimitHeaders headers;

	private final CorsFields cors;

	private final MethodRulesLookup methods;

	private final Tabs others;

	private final HeldRequests held;

	/**
	 * Creates tabs.
	 * @param evaluator decides
	 * @param callers tells who asks
	 * @param headers words a verdict
	 * @param cors lets scripts of other origins read it
	 * @param methods finds the rules of a handler's method
	 * @param others where there is no request
	 * @param held holds those that are to go on later
	 */
	public RequestTabs(RateLimitEvaluator evaluator, HttpCallers callers, RateLimitHeaders headers, CorsFields cors,
			MethodRulesLookup methods, Tabs others, HeldRequests held) {
		this.evaluator = evaluator;
		this.callers = callers;
		this.headers = headers;
		this.cors = cors;
		this.methods = methods;
		this.others = others;
		this.held = held;
	}

	@Override
	public Tab current() {
		if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
			return this.others.current();
		}
		HttpServletRequest request = attributes.getRequest();
		RequestTab tab;
		try {
			tab = RequestTab.of(request);
		}
		catch (RuntimeException ex) {
			// A request that is over, to which a thread of the application is still
			// bound.
			return this.others.current();
		}
		if (tab != null && tab.tab().hasEnded()) {
			return this.others.current();
		}
		if (tab == null) {
			tab = open(request, attributes.getResponse(), this.callers.of(request, true), MethodRules.NONE);
			tab.reach();
		}
		return tab.tab();
	}

	@Override
	public void noteFailedAuthentication() {
		RequestEnd end = RequestEnd.current();
		if (end != null) {
			end.noteFailedAuthentication();
		}
	}

	@Override
	public void noteAuthentication(Account account) {
		RequestEnd end = RequestEnd.current();
		if (end != null) {
			end.note(account);
		}
	}

	/**
	 * Notes what a handler has thrown: the status that is made of it may not show what
	 * happened.
	 * @param request the request
	 * @param failure the exception
	 */
	public void noteFailureOfHandler(HttpServletRequest request, Exception failure) {
		RequestEnd end = RequestEnd.of(request);
		if (end != null) {
			end.noteFailureOfHandler(failure);
		}
	}

	/** Opens the tab of a request that no handler has seen yet. */
	RequestTab open(HttpServletRequest request, HttpServletResponse response) {
		HttpCaller caller = this.callers.of(request, false);
		RequestTab tab = open(request, response, caller, handlerRules(caller));
		tab.tab().holdLater(this.evaluator.holdsRequests() && this.held.canHoldLater(request, caller));
		return tab;
	}

	/** Opens the tab of a request that is about to be served. */
	RequestTab openReached(HttpServletRequest request, HttpServletResponse response) {
		HttpCaller caller = this.callers.of(request, true);
		return open(request, response, caller, handlerRules(caller));
	}

	/**
	 * Goes on with the tab of a request that was forwarded before a handler was reached.
	 */
	void forwarded(RequestTab tab, HttpServletRequest request) throws InterruptedIOException {
		this.held.hold(tab.tab());
		HttpCaller caller = this.callers.of(request, true);
		tab.forward(request, caller, handlerRules(caller));
	}

	/** Closes the tab of a request that has been served, or is from now on elsewhere. */
	void close(HttpServletRequest request, RequestEnd end) {
		RequestTab tab = RequestTab.of(request);
		if (tab != null) {
			// What is dispatched once more before its handler keeps its turn until then.
			boolean comesBack = tab.isHeld() || (!tab.isReached() && request.isAsyncStarted());
			if (tab.isPreflight() && !request.isAsyncStarted() && end.isAnsweredPreflight(tab)) {
				tab.tab().giveBack((rule) -> !rule.selection().methods().contains(HttpMethod.OPTIONS.name()));
			}
			if (!comesBack) {
				tab.tab().close();
			}
			end.tell(tab.tab(), request);
			tab.tab().tell();
		}
	}

	private MethodRules handlerRules(HttpCaller caller) {
		Handler handler = this.methods.isEmpty() ? null : caller.handler();
		if (handler == null || handler.method() == null || handler.type() == null) {
			return MethodRules.NONE;
		}
		return this.methods.of(handler.method(), handler.type());
	}

	private RequestTab open(HttpServletRequest request, @Nullable HttpServletResponse response, HttpCaller caller,
			MethodRules handler) {
		Tab decisions = new Tab(this.evaluator, caller, handler, () -> BodyTrackingRequest.isBodyRead(request),
				(verdict) -> writeHeaders(verdict, request, response));
		RequestTab tab = new RequestTab(decisions, request, caller);
		tab.notePreflight(this.cors.mayBePreflight(tab, request));
		tab.keepIn(request);
		return tab;
	}

	/**
	 * Writes the headers of an allowed request. A preflight has none: scripts cannot read
	 * them, and its charge is refunded.
	 */
	private void writeHeaders(Verdict verdict, HttpServletRequest request, @Nullable HttpServletResponse response) {
		if (response == null || response.isCommitted()) {
			return;
		}
		RequestTab tab = RequestTab.of(request);
		if (tab == null || !tab.isPreflight()) {
			tell(verdict, request, response);
		}
	}

	private void tell(Verdict verdict, HttpServletRequest request, HttpServletResponse response) {
		Map<String, String> fields = this.headers.of(verdict);
		fields.forEach(response::setHeader);
		this.cors.expose(fields.keySet(), request, response);
	}

	/**
	 * Tells all that was decided for a request that may not go on, and closes its tab.
	 */
	Verdict conclude(Verdict verdict, HttpServletRequest request, HttpServletResponse response) {
		RequestTab tab = RequestTab.of(request);
		if (tab == null) {
			tell(verdict, request, response);
			return verdict;
		}
		Verdict all = tab.tab().add(verdict);
		tab.tab().close();
		tell(all, request, response);
		return all;
	}

}
