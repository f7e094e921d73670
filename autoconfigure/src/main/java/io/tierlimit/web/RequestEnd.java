package io.tierlimit.web;

import java.util.HashSet;
import java.util.Set;

import io.tierlimit.evaluation.Tab;
import io.tierlimit.rule.Account;
import io.tierlimit.rule.Ending;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
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

	private final Set<Account> authenticated = new HashSet<>();

	private boolean authenticationFailed;

	private @Nullable Tab tab;

	private boolean failed;

	/** The status when an exception left the filters; {@code null} if none did. */
	private @Nullable Integer failedStatus;

	private boolean asynchronous;

	private boolean statusHidden;

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

	/**
	 * The end of the request that this thread serves, or was started by; {@code null} if
	 * there is none any more.
	 */
	static @Nullable RequestEnd current() {
		try {
			return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
					? of(attributes.getRequest()) : null;
		}
		catch (RuntimeException ex) {
			// Containers let nobody read a request that is over.
			return null;
		}
	}

	/** Whether an authentication has failed within a request. */
	static boolean hasFailedLogin(HttpServletRequest request) {
		RequestEnd end = of(request);
		return end != null && end.authenticationFailed();
	}

	private synchronized boolean authenticationFailed() {
		return this.authenticationFailed;
	}

	/** Notes that an authentication has failed. */
	synchronized void noteFailedAuthentication() {
		this.authenticationFailed = true;
	}

	/** Notes an account that has authenticated. */
	synchronized void note(Account account) {
		this.authenticated.add(account);
	}

	/**
	 * Notes what has left the chain of filters. A response that is committed by then
	 * keeps its status.
	 */
	synchronized void note(Throwable failure) {
		this.failed = true;
		this.failedStatus = this.response.isCommitted() ? this.response.getStatus() : FAILED;
		this.statusHidden |= !this.response.isCommitted() || hidesStatus(failure);
	}

	/** Notes what a handler has thrown, whatever is made of it. */
	synchronized void noteFailureOfHandler(Throwable failure) {
		this.statusHidden |= hidesStatus(failure);
	}

	/** Whether the client has gone, or the answer could not be written as it wants it. */
	private static boolean hidesStatus(Throwable failure) {
		return DisconnectedClientHelper.isClientDisconnectedException(failure)
				|| failure instanceof HttpMediaTypeNotAcceptableException
				|| failure instanceof HttpMessageNotWritableException;
	}

	/**
	 * Whether the request was allowed as a preflight, by Spring MVC or by a CORS filter,
	 * and without any authentication.
	 */
	synchronized boolean isAnsweredPreflight(RequestTab preflight) {
		return this.authenticated.isEmpty() && !this.authenticationFailed && !this.failed
				&& !preflight.isAuthenticated() && CorsFields.isAnswered(this.response);
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
		RequestTab found = RequestTab.of(request);
		// One that Tierlimit delays is served by its own thread when it comes back.
		noteAsynchronous(found == null || !found.isHeld());
		request.getAsyncContext().addListener(this);
	}

	private void tell() {
		Tab told = this.tab;
		if (told != null) {
			told.close();
			told.end(ending());
		}
	}

	private synchronized void noteAsynchronous(boolean started) {
		this.asynchronous |= started;
	}

	private synchronized Ending ending() {
		int status = (this.failedStatus != null) ? this.failedStatus : this.response.getStatus();
		return new Ending(status, this.authenticationFailed || isFailedElsewhere(status), this.authenticated,
				this.failed, this.statusHidden);
	}

	/**
	 * Whether an authentication may have failed on another thread, where its event finds
	 * no request.
	 */
	private boolean isFailedElsewhere(int status) {
		return this.asynchronous && status == HttpServletResponse.SC_UNAUTHORIZED;
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
	public synchronized void onError(AsyncEvent event) {
		this.failed = true;
		this.statusHidden |= !this.response.isCommitted()
				|| (event.getThrowable() != null && hidesStatus(event.getThrowable()));
	}

	@Override
	public void onStartAsync(AsyncEvent event) {
		noteAsynchronous(true);
		// Each round has listeners of its own.
		event.getAsyncContext().addListener(this);
	}

}
