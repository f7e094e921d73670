package io.tierlimit.web;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.tierlimit.rule.Account;
import io.tierlimit.rule.ExchangeFacts;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.multipart.MultipartException;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * Records the events of a request that {@code charge-on} and {@code reset-on} depend on.
 * Thread-safe.
 */
final class OutcomeRecorder {

	/**
	 * The exceptions in which containers and Spring wrap exceptions of the application.
	 */
	private static final Set<Class<? extends Throwable>> WRAPPERS = Set.of(ServletException.class,
			ExecutionException.class, CompletionException.class, InvocationTargetException.class,
			UndeclaredThrowableException.class);

	/** The status that the container sends after an uncaught exception. */
	private static final int FAILED = HttpServletResponse.SC_INTERNAL_SERVER_ERROR;

	/**
	 * {@code null} for a request that has not passed the filter, because its end is
	 * unknown.
	 */
	private final @Nullable HttpServletResponse response;

	private Set<Account> authenticated = Set.of();

	private final EnumSet<Event> events = EnumSet.noneOf(Event.class);

	private @Nullable Throwable failure;

	/** The status after an exception that left the filters; {@code null} without one. */
	private @Nullable Integer failedStatus;

	private boolean asynchronous;

	/** Whether the request has timed out after its response was committed. */
	private boolean timedOut;

	private boolean causedByClient;

	OutcomeRecorder(@Nullable HttpServletResponse response) {
		this.response = response;
	}

	synchronized boolean isAuthenticationFailed() {
		return this.events.contains(Event.AUTHENTICATION_FAILED);
	}

	synchronized void recordFailedAuthentication() {
		this.events.add(Event.AUTHENTICATION_FAILED);
	}

	synchronized void recordAuthentication(Account account) {
		Set<Account> more = new HashSet<>(this.authenticated);
		more.add(account);
		this.authenticated = more;
	}

	/**
	 * Records an exception that has left the filters. If the response is committed, its
	 * status does not change.
	 */
	synchronized void recordFailure(Throwable thrown) {
		recordAsynchronousFailure(thrown);
		this.failedStatus = isCommitted() ? status(this.response) : FAILED;
	}

	/** Records an exception that the container converts to a response later. */
	synchronized void recordAsynchronousFailure(@Nullable Throwable thrown) {
		this.events.add(Event.FAILED);
		if (!isCommitted()) {
			this.events.add(Event.STATUS_HIDDEN);
		}
		recordFailureOfHandler(thrown);
	}

	/** Records that the response cannot be written, even if the application continues. */
	synchronized void recordFailedWrite() {
		this.events.add(Event.ENDED_EARLY);
	}

	/** Records an exception of a handler, even if an exception handler resolves it. */
	synchronized void recordFailureOfHandler(@Nullable Throwable thrown) {
		Throwable cause = (thrown != null) ? unwrap(thrown) : null;
		// Tomcat reports a known failure again after it has sent the error page.
		if (isCommitted() && (cause == null || cause != this.failure)) {
			this.events.add(Event.ENDED_EARLY);
		}
		if (cause == null) {
			return;
		}
		this.failure = (this.failure != null) ? this.failure : cause;
		boolean disconnected = DisconnectedClientHelper.isClientDisconnectedException(cause);
		if (disconnected) {
			this.events.add(Event.ENDED_EARLY);
		}
		// Spring MVC has no status of its own for an unreadable multipart body.
		this.causedByClient |= disconnected || cause instanceof MultipartException;
		// The response may be in no type that the client accepts.
		if (disconnected || cause instanceof HttpMediaTypeNotAcceptableException
				|| cause instanceof HttpMessageNotWritableException) {
			this.events.add(Event.STATUS_HIDDEN);
		}
	}

	/**
	 * The exception of the application, without the exceptions in which servers and
	 * Spring wrap it.
	 */
	private static Throwable unwrap(Throwable thrown) {
		Throwable cause = thrown;
		while (WRAPPERS.contains(cause.getClass()) && cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
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
	 * Records that Spring MVC serves the request with a handler without a path pattern.
	 */
	synchronized void recordUnmappedHandler() {
		this.events.add(Event.HANDLER_UNMAPPED);
	}

	boolean isCommitted() {
		return this.response != null && this.response.isCommitted();
	}

	/** The outcome of a request for which nothing was recorded. */
	static RequestOutcome result(@Nullable HttpServletResponse response, boolean handlerReached) {
		int status = status(response);
		return handlerReached ? RequestOutcome.answered(status) : RequestOutcome.unhandled(status);
	}

	private static int status(@Nullable HttpServletResponse response) {
		try {
			return (response != null) ? response.getStatus() : FAILED;
		}
		catch (IllegalStateException ex) {
			// Tomcat throws if the response is read after its end.
			return FAILED;
		}
	}

	/**
	 * The outcome so far.
	 * @param handlerReached whether a handler was about to be called
	 */
	synchronized RequestOutcome result(boolean handlerReached) {
		int status = (this.failedStatus != null) ? this.failedStatus : status(this.response);
		Set<Event> all = EnumSet.copyOf(this.events);
		addIf(handlerReached, Event.HANDLER_REACHED, all);
		addIf(isFailedElsewhere(status), Event.AUTHENTICATION_FAILED, all);
		addIf(this.timedOut, Event.STATUS_HIDDEN, all);
		addIf(this.timedOut, Event.ENDED_EARLY, all);
		addIf(isServerFailure(status), Event.SERVER_FAILED, all);
		return new RequestOutcome(status, all, this.authenticated, this.failure, ExchangeFacts.UNKNOWN);
	}

	private static void addIf(boolean happened, Event event, Set<Event> events) {
		if (happened) {
			events.add(event);
		}
	}

	/**
	 * Whether the server has failed, even if the response was committed with another
	 * status.
	 */
	private boolean isServerFailure(int status) {
		return !this.causedByClient
				&& (RequestOutcome.isServerError(status) || (this.events.contains(Event.FAILED) && status < 400));
	}

	/**
	 * Whether an authentication may have failed on another thread, where its event cannot
	 * be assigned to the request.
	 */
	private boolean isFailedElsewhere(int status) {
		return this.asynchronous && status == HttpServletResponse.SC_UNAUTHORIZED;
	}

}
