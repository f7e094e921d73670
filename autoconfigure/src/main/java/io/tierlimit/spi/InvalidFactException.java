package io.tierlimit.spi;

import org.jspecify.annotations.Nullable;

/**
 * Thrown where a client-supplied fact of a {@link Caller} cannot be read: a malformed
 * parameter, for instance. The request is rejected with status 400, whatever rule needed
 * the fact. A {@link KeyResolver} may throw it, too.
 */
public final class InvalidFactException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message what cannot be read
	 * @param cause why, or {@code null}
	 */
	public InvalidFactException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Finds such an exception among the causes of another one.
	 * @param failure any exception
	 * @return the exception itself, the nearest cause, or {@code null} if there is none
	 */
	public static @Nullable InvalidFactException find(Throwable failure) {
		Throwable cause = failure;
		for (int depth = 0; cause != null && depth < 100; depth++) {
			if (cause instanceof InvalidFactException found) {
				return found;
			}
			cause = cause.getCause();
		}
		return null;
	}

}
