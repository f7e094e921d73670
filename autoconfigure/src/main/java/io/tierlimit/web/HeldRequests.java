package io.tierlimit.web;

import java.io.InterruptedIOException;

import io.tierlimit.evaluation.Tab;
import io.tierlimit.evaluation.Turn;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Holds requests whose permits have not come yet: where they are decided, by their
 * thread, or without one.
 * <p>
 * Without a thread a request is held that a Spring MVC handler will serve, when it has
 * reached that handler: all filters have run by then, so that it can be dispatched once
 * more when its turn has come, as any asynchronous request is. What a filter does around
 * the rest of the chain is over by then.
 */
public final class HeldRequests {

	private static final Object TURN_HAS_COME = new Object();

	private final boolean dispatches;

	/**
	 * Creates the holding of requests.
	 * @param dispatches whether requests are held without a thread, as far as possible
	 */
	public HeldRequests(boolean dispatches) {
		this.dispatches = dispatches;
	}

	/** Whether a request can be held later, when it has reached its handler. */
	boolean canHoldLater(HttpServletRequest request, HttpCaller caller) {
		if (!this.dispatches || !request.isAsyncSupported()) {
			return false;
		}
		Handler handler = caller.handler();
		return handler != null && handler.method() != null;
	}

	/**
	 * Whether a request that has reached its handler is held from now on, and comes back
	 * when its turn has come.
	 */
	boolean holds(Tab tab, HttpServletRequest request, HttpServletResponse response) throws InterruptedIOException {
		if (request.isAsyncSupported()) {
			Turn turn = tab.takeTurn();
			if (turn != null) {
				start(turn, tab, request, response);
			}
			return turn != null;
		}
		hold(tab);
		return false;
	}

	/** Holds a request here and now, if it is to be held. */
	void hold(Tab tab) throws InterruptedIOException {
		Turn turn = tab.takeTurn();
		if (turn != null) {
			park(turn, tab);
		}
	}

	private static void start(Turn turn, Tab tab, HttpServletRequest request, HttpServletResponse response) {
		DeferredResult<Object> held = new DeferredResult<>(0L);
		held.onError((failure) -> {
			if (!held.hasResult()) {
				// The client has gone: whoever comes next need not wait for it.
				leave(turn, tab);
			}
		});
		try {
			WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
			manager.setAsyncWebRequest(WebAsyncUtils.createAsyncWebRequest(request, response));
			manager.startDeferredResultProcessing(held);
		}
		catch (Exception ex) {
			leave(turn, tab);
			throw new IllegalStateException("The request can't be held", ex);
		}
		turn.thenRun(() -> held.setResult(TURN_HAS_COME));
	}

	private static void leave(Turn turn, Tab tab) {
		turn.leave();
		tab.giveBack();
	}

	private static void park(Turn turn, Tab tab) throws InterruptedIOException {
		try {
			turn.await();
			tab.turnHasCome();
		}
		catch (InterruptedException ex) {
			tab.giveBack();
			Thread.currentThread().interrupt();
			InterruptedIOException interrupted = new InterruptedIOException("Interrupted while held by a rate limit");
			interrupted.initCause(ex);
			throw interrupted;
		}
	}

	/** Goes on with a request that has come back. */
	static void release(Tab tab, HttpServletRequest request) {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		if (manager.hasConcurrentResult() && manager.getConcurrentResult() == TURN_HAS_COME) {
			manager.clearConcurrentResult();
			tab.turnHasCome();
		}
	}

}
