package io.tierlimit.web;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Ends the exchange of an asynchronous request when the container reports the end.
 *
 * @param exchange the exchange of the request
 */
record AsynchronousEnd(RateLimitExchange exchange) implements AsyncListener {

	/**
	 * Registers for the completion of an asynchronous request. Returns false if the
	 * request is not asynchronous, or no longer.
	 */
	static boolean listen(RateLimitExchange exchange, HttpServletRequest request) {
		try {
			if (!request.isAsyncStarted()) {
				return false;
			}
			exchange.outcome().recordAsynchronous();
			request.getAsyncContext().addListener(new AsynchronousEnd(exchange));
			return true;
		}
		catch (IllegalStateException ex) {
			// Another thread has already completed the request.
			return false;
		}
	}

	@Override
	public void onComplete(AsyncEvent event) {
		this.exchange.complete();
	}

	@Override
	public void onTimeout(AsyncEvent event) {
		this.exchange.outcome().recordTimeout();
	}

	@Override
	public void onError(AsyncEvent event) {
		this.exchange.fail(event.getThrowable());
	}

	@Override
	public void onStartAsync(AsyncEvent event) {
		this.exchange.outcome().recordAsynchronous();
		// Listeners must be added again for each asynchronous round.
		event.getAsyncContext().addListener(this);
	}

}
