package io.tierlimit.web;

import java.util.function.Supplier;

import io.tierlimit.key.InvalidFactException;

import org.jspecify.annotations.Nullable;

/**
 * Reads parameters by the container. Where these are malformed, too many or too long the
 * container throws once, and goes on with those it could read: a request like that is to
 * be rejected when it throws.
 */
public final class Parameters {

	private Parameters() {
	}

	/**
	 * Reads.
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
