package io.tierlimit.rule;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a web request, which determines how conditional charges are settled.
 * Immutable: every method with a parameter returns another outcome.
 *
 * @param status the status of the response
 * @param events further events within the request
 * @param authenticated the accounts that have authenticated within the request; empty if
 * there are none
 * @param failure the first exception of a handler, servlet or filter, even if it was
 * resolved, without the exceptions that wrap it; {@code null} if there was none
 * @param exchange further facts of the request and its response
 */
public record RequestOutcome(int status, Set<Event> events, Set<Account> authenticated, @Nullable Throwable failure,
		ExchangeFacts exchange) {

	private static final Set<Event> SERVED = Set.of(Event.HANDLER_REACHED);

	/**
	 * Creates an outcome.
	 */
	public RequestOutcome {
		events = Set.copyOf(events);
		authenticated = Set.copyOf(authenticated);
	}

	/**
	 * Creates the outcome of a request that reached a handler, without any
	 * authentication.
	 * @param status the response's status
	 * @return the outcome
	 */
	public static RequestOutcome answered(int status) {
		RequestOutcome outcome = new RequestOutcome(status, SERVED, Set.of(), null, ExchangeFacts.UNKNOWN);
		return isServerError(status) ? outcome.with(Event.SERVER_FAILED) : outcome;
	}

	/**
	 * Creates the outcome of a request that did not reach a handler.
	 * @param status the response's status
	 * @return the outcome
	 */
	public static RequestOutcome unhandled(int status) {
		return new RequestOutcome(status, isServerError(status) ? Set.of(Event.SERVER_FAILED) : Set.of(), Set.of(),
				null, ExchangeFacts.UNKNOWN);
	}

	/**
	 * Adds events.
	 * @param added the events
	 * @return the outcome with these events
	 */
	public RequestOutcome with(Event... added) {
		Set<Event> all = EnumSet.noneOf(Event.class);
		all.addAll(this.events);
		all.addAll(Arrays.asList(added));
		return new RequestOutcome(this.status, all, this.authenticated, this.failure, this.exchange);
	}

	/**
	 * Sets further facts.
	 * @param facts the facts of the request and its response
	 * @return the outcome with these facts
	 */
	public RequestOutcome with(ExchangeFacts facts) {
		return new RequestOutcome(this.status, this.events, this.authenticated, this.failure, facts);
	}

	/**
	 * Sets the accounts that have authenticated.
	 * @param accounts the accounts
	 * @return the outcome with these accounts
	 */
	public RequestOutcome authenticated(Account... accounts) {
		return new RequestOutcome(this.status, this.events, Set.of(accounts), this.failure, this.exchange);
	}

	/**
	 * Whether an event has happened.
	 * @param event the event
	 * @return whether it has happened
	 */
	public boolean has(Event event) {
		return this.events.contains(event);
	}

	/**
	 * Whether a status reports a failure of the server. The statuses 501 and 505 do not,
	 * because the client has chosen the method and the version of HTTP.
	 * @param status the response's status
	 * @return whether it is from 500 to 599, except 501 and 505
	 */
	public static boolean isServerError(int status) {
		return status >= 500 && status <= 599 && status != 501 && status != 505;
	}

	/**
	 * An event that may happen within a request.
	 */
	public enum Event {

		/** An authentication has failed. */
		AUTHENTICATION_FAILED,

		/** The request has ended with an exception, whatever its status. */
		FAILED,

		/**
		 * The status may differ from the result of the request. This happens if the
		 * client has disconnected, if the response cannot be written in a type that the
		 * client accepts, if the request has ended with an exception before the response
		 * was committed, or if it has timed out after that.
		 */
		STATUS_HIDDEN,

		/**
		 * The response may be incomplete: it was committed, and then the request has
		 * failed or timed out, or the client has disconnected.
		 */
		ENDED_EARLY,

		/**
		 * The server has failed to serve the request, and the client has not caused this
		 * by its disconnection, or by a method or type that is not supported.
		 */
		SERVER_FAILED,

		/**
		 * Spring MVC was about to call a handler. Without this event, filters and other
		 * servlets may still have run.
		 */
		HANDLER_REACHED,

		/**
		 * The handler that was reached has no path pattern, such as the handler of static
		 * files, or Spring MVC's own response to OPTIONS. No rule selects such a handler
		 * by its pattern.
		 */
		HANDLER_UNMAPPED

	}

}
