package io.tierlimit.web;

import java.util.function.Supplier;

import io.tierlimit.spi.InvalidRequestValueException;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Reads parameters from the container. If a parameter is malformed, or if there are too
 * many parameters, the container throws an exception at the first read only, and later
 * returns the remaining parameters. The request must therefore be rejected at the first
 * exception.
 */
public final class Parameters {

	private static final String UNREADABLE = Parameters.class.getName() + ".unreadable";

	private static final String MESSAGE = "The request's parameters cannot be read";

	private Parameters() {
	}

	/**
	 * Reads parameters.
	 * @param <T> the type of the value
	 * @param request the request
	 * @param reading reads the value from the container
	 * @return the value
	 * @throws InvalidRequestValueException if the container cannot read the request's
	 * parameters
	 */
	public static <T extends @Nullable Object> T read(HttpServletRequest request, Supplier<T> reading) {
		check(request);
		try {
			return reading.get();
		}
		catch (RuntimeException ex) {
			request.setAttribute(UNREADABLE, ex);
			throw new InvalidRequestValueException(MESSAGE, ex);
		}
	}

	/**
	 * Throws an exception if an earlier attempt to read the parameters failed, even if
	 * the application has handled the earlier exception.
	 */
	static void check(HttpServletRequest request) {
		if (request.getAttribute(UNREADABLE) instanceof RuntimeException failure) {
			throw new InvalidRequestValueException(MESSAGE, failure);
		}
	}

}
