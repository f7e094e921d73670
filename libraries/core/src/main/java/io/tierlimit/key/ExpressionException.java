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
	 */
	ExpressionException(String reason) {
		this(reason, false);
	}

	private ExpressionException(String reason, boolean nullAccess) {
		super(reason);
		this.nullAccess = nullAccess;
	}

	/** Creates the exception for an access to a member of {@code null}. */
	static ExpressionException ofNull(String member) {
		return new ExpressionException("'" + member + "' is a member of null", true);
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
