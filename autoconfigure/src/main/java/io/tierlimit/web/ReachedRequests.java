package io.tierlimit.web;

import java.io.IOException;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * The last word before a handler runs. A filter of the application behind Tierlimit's may
 * have changed a request's method or path, or forwarded it: then it is not the request
 * that was decided. What that was charged is given back, and what has become of it is
 * decided.
 */
public final class ReachedRequests {

	private final RequestTabs tabs;

	private final RequestStage stage;

	/**
	 * Creates the last word.
	 * @param tabs opens a new tab for a changed request
	 * @param stage decides all rules
	 */
	public ReachedRequests(RequestTabs tabs, RequestStage stage) {
		this.tabs = tabs;
		this.stage = stage;
	}

	/**
	 * Whether the handler may run.
	 * @param request the request as it has reached the handler
	 * @param response the response
	 * @return false if the request was rejected: then it has been answered
	 * @throws IOException if that fails
	 * @throws ServletException if that fails otherwise
	 */
	public boolean admits(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		RequestTab tab = RequestTab.of(request);
		if (tab == null || request.getDispatcherType() == DispatcherType.ERROR || !tab.reachesHandlerChanged(request)) {
			return true;
		}
		tab.tab().giveBack();
		RequestTab changed = this.tabs.open(request, response);
		return this.stage.admits(changed, request, response);
	}

}
