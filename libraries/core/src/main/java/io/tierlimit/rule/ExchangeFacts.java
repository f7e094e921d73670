package io.tierlimit.rule;

import org.jspecify.annotations.Nullable;

/**
 * Facts of a web request and its response that are known when the response is finished.
 */
public interface ExchangeFacts {

	/** Facts of a request about which nothing is known. */
	ExchangeFacts UNKNOWN = new ExchangeFacts() {
	};

	/**
	 * The first value of a response header.
	 * @param name the name of the header
	 * @return the value; {@code null} if the response does not have the header, or can no
	 * longer be read
	 */
	default @Nullable String responseHeader(String name) {
		return null;
	}

	/**
	 * The time from the arrival of the request to the end of its response.
	 * @return milliseconds, rounded up; {@code null} if unknown
	 */
	default @Nullable Long duration() {
		return null;
	}

	/**
	 * The size of the request's body.
	 * @return bytes; {@code null} if unknown
	 */
	default @Nullable Long requestBytes() {
		return null;
	}

	/**
	 * Whether the body of the request may be larger than {@link #requestBytes}, because
	 * the client has not announced its size, and the container has parsed it.
	 * @return whether it may be larger
	 */
	default boolean mayBeLargerRequest() {
		return false;
	}

	/**
	 * The size of the response's body as the application has written it, before it is
	 * compressed.
	 * @return bytes; {@code null} if unknown
	 */
	default @Nullable Long responseBytes() {
		return null;
	}

}
