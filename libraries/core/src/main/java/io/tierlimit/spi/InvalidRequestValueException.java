package io.tierlimit.spi;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a client-supplied value of a {@link Caller} cannot be read, such as a
 * malformed parameter. The request is rejected with status 400, whichever rule needed the
 * value. A {@link KeyResolver} or a {@link PlanResolver} can also throw this exception.
 */
public final class InvalidRequestValueException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message describes the value that cannot be read
	 * @param cause the cause, or {@code null}
	 */
	public InvalidRequestValueException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Finds an exception of this type among another exception and its causes.
	 * @param failure any exception
	 * @return the first one, beginning with the exception itself; {@code null} if there
	 * is none
	 */
	public static @Nullable InvalidRequestValueException find(Throwable failure) {
		Throwable cause = failure;
		for (int depth = 0; cause != null && depth < 100; depth++) {
			if (cause instanceof InvalidRequestValueException found) {
				return found;
			}
			cause = cause.getCause();
		}
		return null;
	}

}
