package io.tierlimit.web;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.tierlimit.rule.ExchangeFacts;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.WebUtils;

/**
 * Records the facts of a request and its response from their beginning to their end. An
 * asynchronous request may be dispatched without the wrappers of filters, so this object
 * contains what all wrappers have counted.
 */
final class ExchangeFactsRecorder {

	private static final int TICKS_PER_MILLI = 1000;

	/** {@code null} if the duration is unknown. */
	private final @Nullable LongSupplier clock;

	private final long begun;

	/** {@code null} until the request is known. */
	private volatile @Nullable CountingRequest request;

	/** The bytes of the response; {@code null} until the response is tracked. */
	private volatile @Nullable AtomicLong written;

	/**
	 * Begins to record an exchange.
	 * @param clock returns the current time in microseconds; {@code null} if the request
	 * has arrived before, so that its duration is unknown
	 */
	ExchangeFactsRecorder(@Nullable LongSupplier clock) {
		this.clock = clock;
		this.begun = (clock != null) ? clock.getAsLong() : 0;
	}

	/**
	 * The request for the rest of the filter chain, which counts the bytes of its body if
	 * their number is not announced. An announced number remains valid if the application
	 * forwards a request without it.
	 */
	HttpServletRequest countBody(HttpServletRequest request) {
		CountingRequest known = this.request;
		if ((known != null && !known.isCounted())
				|| WebUtils.getNativeRequest(request, CountingRequest.class) != null) {
			return request;
		}
		CountingRequest counting = new CountingRequest(request, known);
		this.request = counting;
		return counting.isCounted() ? counting : request;
	}

	/**
	 * The response for the rest of the filter chain, which reports failed writes.
	 * @param counted whether it counts the bytes of its body
	 */
	HttpServletResponse track(HttpServletResponse response, Consumer<Throwable> failures, boolean counted) {
		if (WebUtils.getNativeResponse(response, WriteTrackingResponse.class) != null) {
			return response;
		}
		AtomicLong known = this.written;
		AtomicLong bytes = (known != null || !counted) ? known : new AtomicLong();
		this.written = bytes;
		return new WriteTrackingResponse(response, failures, bytes);
	}

	/**
	 * The facts at the end of the exchange.
	 * @param response the response, or {@code null} if there is none
	 */
	ExchangeFacts end(@Nullable HttpServletResponse response) {
		AtomicLong bytes = this.written;
		return new Facts(response, duration(), this.request, (bytes != null) ? (Long) bytes.get() : null);
	}

	private @Nullable Long duration() {
		if (this.clock == null) {
			return null;
		}
		long ticks = Math.max(0, this.clock.getAsLong() - this.begun);
		return -Math.floorDiv(-ticks, TICKS_PER_MILLI);
	}

	private record Facts(@Nullable HttpServletResponse response, @Nullable Long duration,
			@Nullable CountingRequest request, @Nullable Long responseBytes) implements ExchangeFacts {

		@Override
		public @Nullable String responseHeader(String name) {
			try {
				return (this.response != null) ? this.response.getHeader(name) : null;
			}
			catch (RuntimeException ex) {
				// Containers throw if a response is read after its end.
				return null;
			}
		}

		@Override
		public @Nullable Long requestBytes() {
			return (this.request != null) ? this.request.bytes() : null;
		}

		@Override
		public boolean mayBeLargerRequest() {
			return this.request != null && this.request.isParsed();
		}

	}

}
