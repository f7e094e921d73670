package io.tierlimit.key;

import java.util.Set;

import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;

/**
 * Thrown if the evaluation of a {@link CallerExpression} fails. The message contains the
 * reason but no client-supplied text, so it can be logged.
 */
public final class ExpressionException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** Messages of SpEL that contain members, types, sizes and indexes, but no texts. */
	private static final Set<SpelMessage> WITHOUT_CLIENT_TEXT = Set.of(SpelMessage.METHOD_NOT_FOUND,
			SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE, SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
			SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
			SpelMessage.TYPE_CONVERSION_ERROR, SpelMessage.OPERATOR_NOT_SUPPORTED_BETWEEN_TYPES,
			SpelMessage.NOT_COMPARABLE, SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS,
			SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS, SpelMessage.STRING_INDEX_OUT_OF_BOUNDS,
			SpelMessage.INDEXING_NOT_SUPPORTED_FOR_TYPE);

	private static final Set<SpelMessage> NULL_ACCESS = Set.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
			SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

	private final boolean nullAccess;

	ExpressionException(RuntimeException cause) {
		super(reason(cause), cause);
		this.nullAccess = cause instanceof SpelEvaluationException spel && NULL_ACCESS.contains(spel.getMessageCode());
	}

	/**
	 * Creates the exception.
	 * @param reason the reason, without client-supplied text
	 */
	ExpressionException(String reason) {
		super(reason);
		this.nullAccess = false;
	}

	/**
	 * Finds the exception that reports a failure.
	 * @return the failure or the first of its causes that is an
	 * {@link ExpressionException}; otherwise a new one
	 */
	static ExpressionException of(RuntimeException failure) {
		Throwable cause = failure;
		for (int depth = 0; cause != null && depth < 100; depth++) {
			if (cause instanceof ExpressionException found) {
				return found;
			}
			cause = cause.getCause();
		}
		return new ExpressionException(failure);
	}

	/**
	 * Whether the expression failed because it reads a member of {@code null}, such as of
	 * a fact that the caller does not have.
	 * @return whether a member of {@code null} is the reason
	 */
	public boolean isNullAccess() {
		return this.nullAccess;
	}

	private static String reason(RuntimeException cause) {
		if (cause instanceof SpelEvaluationException spel) {
			return WITHOUT_CLIENT_TEXT.contains(spel.getMessageCode()) ? String.valueOf(spel.getMessage())
					: "SpEL's " + spel.getMessageCode();
		}
		// The messages of arithmetic exceptions do not contain operands.
		return cause.getClass().getSimpleName()
				+ ((cause instanceof ArithmeticException) ? ": " + cause.getMessage() : "");
	}

}
