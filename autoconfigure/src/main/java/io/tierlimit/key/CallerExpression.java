package io.tierlimit.key;

import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * A SpEL expression over a {@link Caller}, parsed once. It reads the caller's facts and
 * the arguments of an annotated method, and calls methods on them. Types, constructors,
 * beans and assignments are not supported.
 */
public final class CallerExpression {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	/** Every number with this number of digits fits into a {@code long}. */
	private static final int MOST_DIGITS = 18;

	private static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration();

	private static final EvaluationContext CONTEXT = ExpressionContext.create();

	private final SpelExpression expression;

	/** Reads the fact if the expression is nothing else; otherwise {@code null}. */
	private final @Nullable Function<Caller, @Nullable Object> fact;

	private final ExpressionNames names;

	private final ExpressionUse use;

	private CallerExpression(SpelExpression expression, ExpressionNames names, ExpressionUse use) {
		this.expression = expression;
		this.fact = ExpressionContext.fact(expression.getAST());
		this.names = names;
		this.use = use;
	}

	/**
	 * Parses an expression for a key that does not read arguments.
	 * @param text SpEL over {@code method}, {@code path}, {@code pattern}, {@code ip},
	 * {@code user}, {@code plan}, {@code authorities}, {@code header('X')},
	 * {@code param('x')} and {@code claim('x')}
	 * @return the expression
	 * @throws IllegalArgumentException if the text is not valid SpEL, or if it names a
	 * fact that a caller does not have or a member that a fact does not have
	 */
	public static CallerExpression parse(String text) {
		return parse(text, List.of());
	}

	/**
	 * Parses an expression for a key that may read the arguments of a method. The types
	 * of the arguments are not known here: see {@link #check}.
	 * @param text SpEL as above, and {@code #name} for an argument
	 * @param arguments the names of the method's arguments
	 * @return the expression
	 * @throws IllegalArgumentException as above
	 */
	public static CallerExpression parse(String text, Collection<String> arguments) {
		return parse(text, arguments, ExpressionUse.KEY);
	}

	/**
	 * Parses a condition.
	 * @param text SpEL as above
	 * @return the expression
	 * @throws IllegalArgumentException as above, or if its value cannot be a boolean
	 */
	public static CallerExpression parseCondition(String text) {
		return parse(text, List.of(), ExpressionUse.CONDITION);
	}

	/**
	 * Parses a cost.
	 * @param text SpEL as above, and {@code #name} for an argument
	 * @param arguments the names of the method's arguments
	 * @return the expression
	 * @throws IllegalArgumentException as above, or if its value cannot be a number
	 */
	public static CallerExpression parseCost(String text, Collection<String> arguments) {
		return parse(text, arguments, ExpressionUse.COST);
	}

	private static CallerExpression parse(String text, Collection<String> arguments, ExpressionUse use) {
		try {
			SpelExpression expression = PARSER.parseRaw(text);
			CallerExpression parsed = new CallerExpression(expression,
					ExpressionNames.of(expression.getAST(), arguments), use);
			if (!parsed.readsArguments()) {
				parsed.check(Map.of());
			}
			return parsed;
		}
		catch (ParseException ex) {
			throw new IllegalArgumentException(
					"'" + text + "' is not a valid SpEL expression: " + ex.getSimpleMessage(), ex);
		}
	}

	/**
	 * Checks the members that the expression reads, and its value, against the types that
	 * are known before any request. {@link #parse} has done so unless the expression
	 * reads arguments.
	 * @param arguments the types of the method's arguments by their names
	 * @return problems that do not exist if an argument has a subtype of its declared
	 * type: one sentence each, without a full stop
	 * @throws IllegalArgumentException if a member does not exist, or if the value cannot
	 * have the type that is required
	 */
	public List<String> check(Map<String, ResolvableType> arguments) {
		ExpressionTypes types = new ExpressionTypes(this.use, arguments);
		types.check(this.expression.getAST());
		return types.possibleProblems();
	}

	/**
	 * Parses an expression that only reads facts of a principal.
	 * @param text SpEL over {@code user}, which is the principal's name,
	 * {@code authorities} and {@code claim('x')}
	 * @return the expression
	 * @throws IllegalArgumentException if the text is not valid SpEL or reads other facts
	 */
	public static CallerExpression parseOfPrincipal(String text) {
		CallerExpression parsed = parse(text);
		if (!parsed.names.areOnlyOfPrincipal()) {
			throw new IllegalArgumentException(
					"'" + text + "' must read user, authorities or claim('name'), and nothing else");
		}
		return parsed;
	}

	/**
	 * Whether the client can choose the value.
	 * @return whether the expression reads a header or a parameter
	 */
	public boolean readsHeaderOrParameter() {
		return this.names.haveHeaderOrParameter();
	}

	/**
	 * Whether the value may depend on client-supplied values, so that a client can make
	 * the evaluation fail. The path does not count, because it also selects the handler.
	 * @return whether it reads a header, a parameter or a method's argument
	 */
	public boolean readsClientSuppliedValues() {
		return readsHeaderOrParameter() || readsArguments();
	}

	/**
	 * Whether the expression may read secret or personal values, so that its value is
	 * hashed before it is stored.
	 * @return whether it reads a header, a parameter, a claim or a method's argument
	 */
	public boolean readsSensitive() {
		return readsHeaderOrParameter() || readsArguments() || this.names.haveClaim();
	}

	/**
	 * Whether the value may identify an account.
	 * @return whether the expression reads other facts than the address, the endpoint and
	 * the plan
	 */
	public boolean mayNameAccount() {
		return this.names.mayNameAccount();
	}

	/**
	 * Whether the expression reads facts of the authenticated caller, so that it can only
	 * be evaluated after authentication.
	 * @return whether it reads the user, the plan, the authorities or a claim
	 */
	public boolean readsIdentity() {
		return this.names.haveIdentity();
	}

	/**
	 * Whether the expression reads the target of the request.
	 * @return whether it reads the method, the path or the pattern
	 */
	public boolean readsTarget() {
		return this.names.haveTarget();
	}

	/**
	 * Whether the expression reads an argument, so that it can only be evaluated when the
	 * method is called.
	 * @return whether it reads an argument
	 */
	public boolean readsArguments() {
		return !this.names.arguments().isEmpty();
	}

	/**
	 * Whether the expression reads no facts of the caller.
	 * @return whether its value is the same for all callers
	 */
	public boolean isConstant() {
		return this.names.isConstant();
	}

	/**
	 * Evaluates the expression. Arithmetic is exact.
	 * @param caller the caller
	 * @return the value, which may be {@code null}
	 * @throws ExpressionException if the evaluation fails
	 * @throws InvalidFactException if a client-supplied fact cannot be read or converted
	 */
	public @Nullable Object evaluate(Caller caller) {
		Object value = evaluateExactly(caller);
		return (value instanceof Fraction fraction) ? fraction.toNumber() : value;
	}

	/**
	 * Evaluates the expression for a key. Equal values have the same text: numbers are
	 * written without trailing zeros, enum constants by name, and collections, arrays,
	 * maps and records by their elements.
	 * @param caller the caller
	 * @return the value as a text; {@code null} if the value is {@code null} or an empty
	 * {@link java.util.Optional}
	 * @throws ExpressionException if the evaluation fails, or if the value has no
	 * {@code toString()} of its own
	 * @throws InvalidFactException if a client-supplied fact cannot be read or converted
	 */
	public @Nullable String evaluateKey(Caller caller) {
		return KeyText.of(evaluate(caller));
	}

	/**
	 * Evaluates a cost. Arithmetic is exact, and the result is rounded up.
	 * @param caller the caller
	 * @return permits, 0 or more
	 * @throws ExpressionException if the evaluation fails, or if the value is negative,
	 * above {@link Long#MAX_VALUE} or not a number; a text of digits is a number
	 * @throws InvalidFactException if a client-supplied fact cannot be read or converted
	 */
	public long evaluateCost(Caller caller) {
		Object value = evaluateExactly(caller);
		try {
			return permits(value);
		}
		catch (ArithmeticException ex) {
			throw new ExpressionException(ex);
		}
	}

	private @Nullable Object evaluateExactly(Caller caller) {
		try {
			Object value = (this.fact != null) ? this.fact.apply(caller) : evaluateWithSpel(caller);
			if (value != null) {
				Fraction.check(value);
			}
			return value;
		}
		catch (RuntimeException ex) {
			InvalidFactException invalid = InvalidFactException.find(ex);
			throw (invalid != null) ? invalid : ExpressionException.of(ex);
		}
		catch (StackOverflowError ex) {
			throw new InvalidFactException("The expression needs too much stack", ex);
		}
	}

	private @Nullable Object evaluateWithSpel(Caller caller) {
		EvaluationContext context = readsArguments() ? ExpressionContext.create() : CONTEXT;
		for (String name : this.names.arguments()) {
			context.setVariable(name, caller.argument(name));
		}
		ExpressionState state = new ExpressionState(context, new TypedValue(caller), CONFIGURATION);
		return new ExactEvaluation(state, this.use == ExpressionUse.COST).evaluate(this.expression.getAST());
	}

	private static long permits(@Nullable Object value) {
		if (value instanceof String text && isDigits(text)) {
			return Long.parseLong(text);
		}
		if (!(value instanceof Number) && !(value instanceof Fraction)) {
			throw new ArithmeticException("The cost is "
					+ ((value != null) ? "a " + value.getClass().getName() + ", and not a number" : "null"));
		}
		Fraction number = (value instanceof Fraction fraction) ? fraction : Fraction.of((Number) value);
		BigInteger permits = number.roundedUp();
		if (number.numerator().signum() < 0) {
			throw new ArithmeticException("The cost is negative");
		}
		if (permits.bitLength() >= Long.SIZE) {
			throw new ArithmeticException("The cost is above " + Long.MAX_VALUE);
		}
		return permits.longValueExact();
	}

	/** Whether a text is a number that fits into a {@code long}. */
	private static boolean isDigits(String text) {
		return !text.isEmpty() && text.length() <= MOST_DIGITS && text.chars().allMatch((c) -> c >= '0' && c <= '9');
	}

	@Override
	public String toString() {
		return this.expression.getExpressionString();
	}

}
