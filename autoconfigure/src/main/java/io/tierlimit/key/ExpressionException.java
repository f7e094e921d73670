package io.tierlimit.key;

/**
 * Thrown if the evaluation of a {@link CallerExpression} fails. The message contains the
 * reason but no client-supplied text, so it can be logged.
 */
public final class ExpressionException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final boolean nullAccess;

	/**
	 * Creates the exception.
	 * @param reason the reason, without client-supplied text
	 * @param nullAccess see {@link #isNullAccess}
	 */
	ExpressionException(String reason, boolean nullAccess) {
		super(reason);
		this.nullAccess = nullAccess;
	}

	/**
	 * Whether the expression failed because it reads a member of {@code null}, such as of
	 * a fact that the caller does not have.
	 * @return whether a member of {@code null} is the reason
	 */
	public boolean isNullAccess() {
		return this.nullAccess;
	}

}
