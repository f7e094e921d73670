package io.tierlimit.web;

import java.util.HashSet;
import java.util.Set;

import io.tierlimit.rule.Account;
import io.tierlimit.rule.RequestOutcome;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.multipart.MultipartException;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * Records the facts of a request that {@code charge} and {@code reset-on} depend on. Safe
 * for use by several threads.
 */
final class OutcomeRecorder {

	/** The status that the container sends after an uncaught exception. */
	private static final int FAILED = HttpServletResponse.SC_INTERNAL_SERVER_ERROR;

	/**
	 * {@code null} for a request that has not passed the filter: its end is not recorded.
	 */
	private final @Nullable HttpServletResponse response;

	private Set<Account> authenticated = Set.of();

	private boolean authenticationFailed;

	private boolean failed;

	/** The status after an exception that left the filters; {@code null} without one. */
	private @Nullable Integer failedStatus;

	private boolean asynchronous;

	/** Whether the request has timed out after its response was committed. */
	private boolean timedOut;

	private boolean statusHidden;

	private boolean causedByClient;

	private boolean preflight;

	private boolean unmapped;

	OutcomeRecorder(@Nullable HttpServletResponse response) {
		this.response = response;
	}

	synchronized boolean isAuthenticationFailed() {
		return this.authenticationFailed;
	}

	synchronized void recordFailedAuthentication() {
		this.authenticationFailed = true;
	}

	synchronized void recordAuthentication(Account account) {
		Set<Account> more = new HashSet<>(this.authenticated);
		more.add(account);
		this.authenticated = more;
	}

	/**
	 * Records an exception that has left the filters. If the response is committed, it
	 * keeps its status.
	 */
	synchronized void recordFailure(Throwable failure) {
		recordAsynchronousFailure(failure);
		this.failedStatus = isCommitted() ? status() : FAILED;
	}

	/** Records an exception that the container converts to a response later. */
	synchronized void recordAsynchronousFailure(@Nullable Throwable failure) {
		this.failed = true;
		this.statusHidden |= !isCommitted();
		recordFailureOfHandler(failure);
	}

	/** Records an exception of a handler, even if an exception handler resolves it. */
	synchronized void recordFailureOfHandler(@Nullable Throwable failure) {
		this.statusHidden |= failure != null && hidesStatus(failure);
		this.causedByClient |= failure != null && isCausedByClient(failure);
	}

	/**
	 * Whether the client has disconnected, or the response cannot be written in a type
	 * that the client accepts.
	 */
	private static boolean hidesStatus(Throwable failure) {
		return DisconnectedClientHelper.isClientDisconnectedException(failure)
				|| failure instanceof HttpMediaTypeNotAcceptableException
				|| failure instanceof HttpMessageNotWritableException;
	}

	/**
	 * Whether the client has disconnected, or has sent a body of several parts that
	 * cannot be read, for which Spring MVC has no status of its own.
	 */
	private static boolean isCausedByClient(Throwable failure) {
		return DisconnectedClientHelper.isClientDisconnectedException(failure) || failure instanceof MultipartException;
	}

	/** Records that another thread completes the response. */
	synchronized void recordAsynchronous() {
		this.asynchronous = true;
	}

	/**
	 * Records that an asynchronous request has timed out. If the response is committed,
	 * its status no longer changes, and the client may have disconnected: Jetty does not
	 * report that a write has failed on another thread.
	 */
	synchronized void recordTimeout() {
		this.timedOut = isCommitted();
	}

	/** Records that the application continues the request, possibly after a timeout. */
	synchronized void recordDispatch() {
		this.timedOut = false;
	}

	/**
	 * Records the end of a request that may be a preflight. It is one if Spring MVC or a
	 * CORS filter has allowed it, without any authentication, and if it has no body.
	 */
	void recordPreflight(HttpServletRequest request) {
		boolean allowed = this.response != null && CorsResponseHeaders.isAnswered(this.response)
				&& BodyTrackingRequest.hasNoBody(request);
		synchronized (this) {
			this.preflight = allowed && this.authenticated.isEmpty() && !this.authenticationFailed && !this.failed;
		}
	}

	/** Records that Spring MVC serves the request by a handler without a path pattern. */
	synchronized void recordUnmappedHandler() {
		this.unmapped = true;
	}

	boolean isCommitted() {
		return this.response != null && this.response.isCommitted();
	}

	private int status() {
		return status(this.response);
	}

	/** The status that the response has now. */
	static int status(@Nullable HttpServletResponse response) {
		return (response != null) ? response.getStatus() : FAILED;
	}

	synchronized RequestOutcome result() {
		int status = (this.failedStatus != null) ? this.failedStatus : status();
		return new RequestOutcome(status, this.authenticationFailed || isFailedElsewhere(status), this.authenticated,
				this.failed, this.statusHidden || this.timedOut, this.preflight, isServerFailure(status),
				this.unmapped);
	}

	/** An exception counts, too, if the response was committed with another status. */
	private boolean isServerFailure(int status) {
		return !this.causedByClient && (RequestOutcome.isServerError(status) || (this.failed && status < 400));
	}

	/**
	 * Whether an authentication may have failed on another thread, where its event cannot
	 * be assigned to the request.
	 */
	private boolean isFailedElsewhere(int status) {
		return this.asynchronous && status == HttpServletResponse.SC_UNAUTHORIZED;
	}

}
