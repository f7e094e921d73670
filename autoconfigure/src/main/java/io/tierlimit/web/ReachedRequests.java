package io.tierlimit.web;

import java.io.IOException;

import io.tierlimit.evaluation.Verdict;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * The last word before a handler runs. A filter of the application behind Tierlimit's may
 * have changed a request's method or path, or what a mapping asks for, so that it is not
 * the request that was decided: what that was charged is refunded, and what has become of
 * it is decided. Where a request was forwarded or dispatched before a handler was
 * reached, somebody may have done work for it: what other rules charge is added.
 */
public final class ReachedRequests {

	private final RequestTabs tabs;

	private final RequestStage stage;

	private final HeldRequests held;

	/**
	 * Creates the last word.
	 * @param tabs opens a new tab for a changed request
	 * @param stage decides all rules
	 * @param held holds those that are to go on later
	 */
	public ReachedRequests(RequestTabs tabs, RequestStage stage, HeldRequests held) {
		this.tabs = tabs;
		this.stage = stage;
		this.held = held;
	}

	/**
	 * Whether the handler may run. Where Tierlimit has no filter, as on a management
	 * port, every request may.
	 * @param request the request as it has reached the handler
	 * @param response the response
	 * @param handler what is about to serve it
	 * @return false if the request was rejected, and has been answered, or if it waits,
	 * and will come back
	 * @throws IOException if that fails
	 * @throws ServletException if that fails otherwise
	 */
	public boolean admits(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws ServletException, IOException {
		RequestTab tab = RequestTab.of(request);
		if (tab != null && tab.isHeld()) {
			HeldRequests.release(tab.tab(), request);
			return true;
		}
		if (tab == null || tab.isReached() || RateLimitFilter.isErrorPage(request)) {
			return true;
		}
		return switch (request.getDispatcherType()) {
			case REQUEST, FORWARD, ASYNC -> admits(tab, request, response, handler);
			case ERROR, INCLUDE -> true;
		};
	}

	private boolean admits(RequestTab tab, HttpServletRequest request, HttpServletResponse response, Object handler)
			throws ServletException, IOException {
		if (tab.isFor(request, handler)) {
			tab.reach();
			return goesOn(tab, request, response);
		}
		if (request.getDispatcherType() == DispatcherType.REQUEST) {
			return admitsChanged(tab, request, response);
		}
		this.tabs.forwarded(tab, request);
		if (!this.stage.decide(tab, request, response)) {
			return false;
		}
		tab.reach();
		return goesOn(tab, request, response);
	}

	/**
	 * Decides a changed request anew. If it is rejected although its body has been read,
	 * it is charged what it was charged before.
	 */
	private boolean admitsChanged(RequestTab before, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		Verdict refunded = before.tab().giveBack();
		RequestTab tab = this.tabs.openReached(request, response);
		Verdict verdict = this.stage.evaluate(tab, request);
		if (verdict.allowed()) {
			tab.reach();
			return goesOn(tab, request, response);
		}
		if (BodyTrackingRequest.isBodyRead(request)) {
			before.tab().chargeAgain(refunded);
		}
		this.stage.reject(verdict, tab, request, response);
		return false;
	}

	private boolean goesOn(RequestTab tab, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (request.getDispatcherType() != DispatcherType.REQUEST) {
			this.held.hold(tab.tab());
			return true;
		}
		if (!this.held.holds(tab.tab(), request, response)) {
			return true;
		}
		// It comes back no sooner than this thread has left it.
		tab.hold();
		return false;
	}

}
