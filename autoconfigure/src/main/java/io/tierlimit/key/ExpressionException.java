package io.tierlimit.key;

import java.util.Set;

import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;

/**
 * Thrown if the evaluation of a {@link CallerExpression} fails. The message has the
 * reason and no client-supplied value, so it can be logged.
 */
public final class ExpressionException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** The messages of SpEL that name a member or a type, and no value. */
	private static final Set<SpelMessage> WITHOUT_VALUES = Set.of(SpelMessage.METHOD_NOT_FOUND,
			SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE, SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
			SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
			SpelMessage.TYPE_CONVERSION_ERROR, SpelMessage.OPERATOR_NOT_SUPPORTED_BETWEEN_TYPES,
			SpelMessage.NOT_COMPARABLE, SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS,
			SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS, SpelMessage.STRING_INDEX_OUT_OF_BOUNDS,
			SpelMessage.INDEXING_NOT_SUPPORTED_FOR_TYPE);

	private static final Set<SpelMessage> OF_NULL = Set.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
			SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

	private final boolean ofNull;

	ExpressionException(RuntimeException cause) {
		super(reason(cause), cause);
		this.ofNull = cause instanceof SpelEvaluationException spel && OF_NULL.contains(spel.getMessageCode());
	}

	/**
	 * Creates the exception.
	 * @param reason without any client-supplied value
	 */
	ExpressionException(String reason) {
		super(reason);
		this.ofNull = false;
	}

	/**
	 * The exception that reports a failure: the failure itself, its cause or a new one.
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
	 * Whether the expression reads a member of a fact that the caller lacks.
	 * @return whether a member of {@code null} was read
	 */
	public boolean isOfNull() {
		return this.ofNull;
	}

	private static String reason(RuntimeException cause) {
		if (cause instanceof SpelEvaluationException spel) {
			return WITHOUT_VALUES.contains(spel.getMessageCode()) ? String.valueOf(spel.getMessage())
					: "SpEL's " + spel.getMessageCode();
		}
		// The messages of arithmetic have no operands.
		return cause.getClass().getSimpleName()
				+ ((cause instanceof ArithmeticException) ? ": " + cause.getMessage() : "");
	}

}
