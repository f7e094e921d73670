package io.tierlimit.key;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.tierlimit.key.ExpressionCompiler.Part;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.StringUtils;

import static io.tierlimit.key.ExpressionValues.number;

/**
 * An expression over a {@link Caller} and the arguments of an annotated method, in a
 * subset of SpEL. It is parsed, checked and compiled once. The time of an evaluation is
 * bounded, whatever a client sends.
 *
 * @param text the expression as it is written
 * @param facts the facts that the expression reads; empty if its value is the same for
 * all callers
 * @param code evaluates the expression
 */
public record CallerExpression(String text, Set<ExpressionFact.Reference> facts,
		Function<Caller, @Nullable Object> code) {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	/**
	 * Parses an expression.
	 * @param text an expression over the facts in {@link ExpressionFact}
	 * @param use what the value is used for
	 * @param arguments the declared types of the arguments that the expression may read,
	 * by their names; {@code Object} if a type is not known
	 * @return the expression
	 * @throws IllegalArgumentException if the text is not valid SpEL, if a part of it is
	 * not supported or does not exist, or if its value cannot have the type that the use
	 * requires
	 */
	public static CallerExpression parse(String text, ExpressionUse use, Map<String, Class<?>> arguments) {
		Set<ExpressionFact.Reference> facts = new LinkedHashSet<>();
		try {
			Part value = new ExpressionCompiler(use, arguments, facts).compile(PARSER.parseRaw(text).getAST());
			return new CallerExpression(text, Set.copyOf(facts), value::of);
		}
		catch (org.springframework.expression.ExpressionException | StackOverflowError ex) {
			String reason = (ex instanceof org.springframework.expression.ExpressionException invalid)
					? invalid.getSimpleMessage() : "it is nested too deeply";
			throw new IllegalArgumentException(
					"'" + StringUtils.truncate(text) + "' is not a valid SpEL expression: " + reason, ex);
		}
	}

	/**
	 * Whether the expression reads one of several facts.
	 * @param facts the facts
	 * @return whether it reads one of them
	 */
	public boolean reads(Set<ExpressionFact> facts) {
		return this.facts.stream().anyMatch((read) -> facts.contains(read.fact()));
	}

	/**
	 * Evaluates the expression.
	 * @param caller the caller
	 * @return the value, which may be {@code null}
	 * @throws ExpressionException if the evaluation fails
	 * @throws InvalidRequestValueException if a client-supplied fact cannot be read or is
	 * too long
	 */
	public @Nullable Object evaluate(Caller caller) {
		return evaluate(caller, (value) -> value);
	}

	/**
	 * Evaluates the expression for a key. Equal values are converted to the same string:
	 * numbers are written without trailing zeros, enum constants by name, and collections
	 * and arrays by their elements.
	 * @param caller the caller
	 * @return the value as a string; {@code null} if the value is {@code null}
	 * @throws ExpressionException if the evaluation fails, or if the value is a map, a
	 * record, or an object that does not override {@code toString()}
	 * @throws InvalidRequestValueException if a client-supplied fact cannot be read or is
	 * too long
	 */
	@Nullable String evaluateKey(Caller caller) {
		return evaluate(caller, KeyText::of);
	}

	/**
	 * Evaluates a cost.
	 * @param caller the caller
	 * @return permits, 0 or more
	 * @throws ExpressionException if the evaluation fails, or if the value is negative or
	 * not a whole number; a string of up to 18 digits is a number
	 * @throws InvalidRequestValueException if a client-supplied fact cannot be read or is
	 * too long
	 */
	public long evaluateCost(Caller caller) {
		long permits = evaluate(caller, (value) -> number(value, true));
		if (permits < 0) {
			throw new ExpressionException("a cost is negative");
		}
		return permits;
	}

	private <T extends @Nullable Object> T evaluate(Caller caller, Function<@Nullable Object, T> conversion) {
		try {
			return conversion.apply(this.code.apply(caller));
		}
		catch (RuntimeException ex) {
			InvalidRequestValueException invalid = InvalidRequestValueException.find(ex);
			// Other messages may contain client-supplied text.
			String reason = (ex instanceof ArithmeticException) ? ex.toString() : ex.getClass().getSimpleName();
			throw (invalid != null) ? invalid
					: (ex instanceof ExpressionException) ? ex : new ExpressionException(reason);
		}
		catch (StackOverflowError ex) {
			throw new InvalidRequestValueException("The expression needs too much stack", ex);
		}
	}

}
