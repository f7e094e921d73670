package io.tierlimit.web;

import java.io.IOException;
import java.lang.reflect.Method;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

/**
 * The last word before a handler runs. A filter of the application behind Tierlimit's may
 * have changed a request's method or path, or what a mapping asks for, so that it is not
 * the request that was decided: what that was charged is given back, and what has become
 * of it is decided. Where a request was forwarded or dispatched before a handler was
 * reached, somebody may have done work for it: what it is held to besides is added.
 */
public final class ReachedRequests {

	private static final String REACHED = ReachedRequests.class.getName();

	private static final String UNFILTERED = REACHED + ".unfiltered";

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
	 * Whether the handler may run.
	 * @param request the request as it has reached the handler
	 * @param response the response
	 * @param handler the method that is about to serve it, or {@code null} if it is none
	 * @return false if the request was rejected, and has been answered, or if it is held,
	 * and will come back
	 * @throws IOException if that fails
	 * @throws ServletException if that fails otherwise
	 */
	public boolean admits(HttpServletRequest request, HttpServletResponse response, @Nullable Method handler)
			throws ServletException, IOException {
		RequestTab tab = RequestTab.of(request);
		if (tab == null) {
			return admitsUnfiltered(request, response);
		}
		if (tab.isHeld()) {
			HeldRequests.release(tab.tab(), request);
			return true;
		}
		return switch (request.getDispatcherType()) {
			case REQUEST -> admits(tab, request, response, handler) && goesOn(request, response);
			case FORWARD, ASYNC -> admitsForward(tab, request, response);
			case ERROR, INCLUDE -> true;
		};
	}

	/**
	 * Notes that a handler has served a request.
	 * @param request the request
	 * @param failure what has left the handler and nobody has dealt with, if anything
	 */
	public void served(HttpServletRequest request, @Nullable Exception failure) {
		if (request.getAttribute(UNFILTERED) instanceof RequestEnd end) {
			if (failure != null) {
				end.note(failure);
			}
			this.tabs.close(request, end);
		}
	}

	private boolean goesOn(HttpServletRequest request, HttpServletResponse response) throws IOException {
		RequestTab tab = RequestTab.of(request);
		if (tab == null || !this.held.holds(tab.tab(), request, response)) {
			return true;
		}
		// It comes back no sooner than this thread has left it.
		tab.hold();
		return false;
	}

	/**
	 * Where Tierlimit has no filter, as on a management port, nothing is held; where
	 * somebody forwards before its filters, the forwarded request is, and ends when its
	 * handler has served it.
	 */
	private boolean admitsUnfiltered(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		if (request.getDispatcherType() == DispatcherType.FORWARD && request.getAttribute(REACHED) == null) {
			RequestEnd end = RequestEnd.await(request, response);
			RequestTab tab = this.tabs.openReached(request, response);
			if (this.stage.admits(tab, request, response)) {
				request.setAttribute(UNFILTERED, end);
				return true;
			}
			this.tabs.close(request, end);
			return false;
		}
		request.setAttribute(REACHED, true);
		return true;
	}

	private boolean admits(RequestTab tab, HttpServletRequest request, HttpServletResponse response,
			@Nullable Method handler) throws ServletException, IOException {
		if (tab.isReached() || tab.isFor(request, handler)) {
			tab.reach();
			return true;
		}
		tab.tab().giveBack();
		return opens(request, response);
	}

	private boolean opens(HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		return this.stage.admits(this.tabs.openReached(request, response), request, response);
	}

	private boolean admitsForward(RequestTab tab, HttpServletRequest request, HttpServletResponse response)
			throws ServletException, IOException {
		if (tab.isReached()) {
			return true;
		}
		this.held.hold(tab.tab());
		this.tabs.forwarded(tab, request);
		return this.stage.admitsForward(tab, request, response);
	}

}
