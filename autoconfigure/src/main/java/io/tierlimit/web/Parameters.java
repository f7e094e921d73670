package io.tierlimit.web;

import java.util.function.Supplier;

import io.tierlimit.key.InvalidFactException;

import org.jspecify.annotations.Nullable;

/**
 * Reads parameters with the container. If a parameter is malformed, or there are too
 * many, the container throws at the first read and returns the others later. So the
 * request must be rejected at that exception.
 */
public final class Parameters {

	private Parameters() {
	}

	/**
	 * Reads parameters.
	 * @param <T> what is read
	 * @param reading asks the container
	 * @return what it answers
	 * @throws InvalidFactException if the container cannot read the request's parameters
	 */
	public static <T extends @Nullable Object> T read(Supplier<T> reading) {
		try {
			return reading.get();
		}
		catch (RuntimeException ex) {
			throw new InvalidFactException("The request's parameters cannot be read", ex);
		}
	}

}
