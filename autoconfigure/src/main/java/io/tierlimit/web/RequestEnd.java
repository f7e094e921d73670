package io.tierlimit.web;

import java.util.EnumSet;
import java.util.Set;

import io.tierlimit.evaluation.Tab;
import io.tierlimit.rule.AuthenticationResult;
import io.tierlimit.rule.Ending;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * How a web request ends, as its first stage sees it: when the filter is left, or when
 * what was started asynchronously is complete. Told to the request's tab.
 */
final class RequestEnd implements AsyncListener {

	private static final String ATTRIBUTE = RequestEnd.class.getName();

	/** What the container makes of an exception. */
	private static final int FAILED = HttpServletResponse.SC_INTERNAL_SERVER_ERROR;

	private final HttpServletResponse response;

	private final Set<AuthenticationResult> authentications = EnumSet.noneOf(AuthenticationResult.class);

	private @Nullable Tab tab;

	private boolean failed;

	private boolean clientLeft;

	private RequestEnd(HttpServletResponse response) {
		this.response = response;
	}

	/** The end of a request, of which there is nothing to be told yet. */
	static RequestEnd await(HttpServletRequest request, HttpServletResponse response) {
		RequestEnd end = new RequestEnd(response);
		request.setAttribute(ATTRIBUTE, end);
		return end;
	}

	static @Nullable RequestEnd of(HttpServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof RequestEnd end) ? end : null;
	}

	/** Notes what became of an authentication. */
	synchronized void note(AuthenticationResult result) {
		this.authentications.add(result);
	}

	/** Notes what has left the chain of filters. */
	synchronized void note(Throwable failure) {
		this.failed = true;
		noteIfClientLeft(failure);
	}

	/** Notes that the client has gone, if a failure says so. */
	synchronized void noteIfClientLeft(@Nullable Throwable failure) {
		this.clientLeft |= failure != null && DisconnectedClientHelper.isClientDisconnectedException(failure);
	}

	/**
	 * Whether the request was answered as a preflight by whoever it reached: its handler,
	 * or else a CORS filter; not if anybody was authenticated meanwhile.
	 */
	synchronized boolean isAnsweredPreflight(RequestTab preflight) {
		return this.authentications.isEmpty() && !this.failed && !preflight.isAuthenticated()
				&& (preflight.isReached() || CorsFields.isAnswered(this.response));
	}

	/** Tells a tab, now or when what was started asynchronously is complete. */
	void tell(Tab tab, HttpServletRequest request) {
		synchronized (this) {
			this.tab = tab;
		}
		if (!request.isAsyncStarted()) {
			tell();
			return;
		}
		request.getAsyncContext().addListener(this);
	}

	private void tell() {
		Tab told = this.tab;
		if (told != null) {
			told.close();
			told.end(ending());
		}
	}

	private synchronized Ending ending() {
		return new Ending(this.failed ? FAILED : this.response.getStatus(), this.authentications, this.clientLeft);
	}

	@Override
	public void onComplete(AsyncEvent event) {
		tell();
	}

	@Override
	public void onTimeout(AsyncEvent event) {
		// The status says so once the request is complete.
	}

	@Override
	public void onError(AsyncEvent event) {
		noteIfClientLeft(event.getThrowable());
	}

	@Override
	public void onStartAsync(AsyncEvent event) {
		// Each round has listeners of its own.
		event.getAsyncContext().addListener(this);
	}

}
