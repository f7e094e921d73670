package io.tierlimit.key;

import java.util.Collection;
import java.util.List;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

import org.jspecify.annotations.Nullable;

/**
 * A SpEL expression over a {@link Caller}, parsed once. It reads the caller's facts and
 * calls methods on them, and on a called method's arguments; types, constructors, beans
 * and assignments are out of its reach.
 */
public final class CallerExpression {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final SimpleEvaluationContext.Builder CONTEXTS = SimpleEvaluationContext
		.forPropertyAccessors(new CallerAccessor(), DataBindingPropertyAccessor.forReadOnlyAccess())
		.withMethodResolvers(DataBindingMethodResolver.forInstanceMethodInvocation());

	private static final EvaluationContext CONTEXT = CONTEXTS.build();

	private final SpelExpression expression;

	private final ExpressionNames names;

	private CallerExpression(SpelExpression expression, ExpressionNames names) {
		this.expression = expression;
		this.names = names;
	}

	/**
	 * Parses an expression where there is no method call.
	 * @param text SpEL over {@code method}, {@code path}, {@code pattern}, {@code ip},
	 * {@code user}, {@code plan}, {@code authorities}, {@code header('X')},
	 * {@code param('x')} and {@code claim('x')}
	 * @return the expression
	 * @throws IllegalArgumentException if the text is no SpEL or names a fact that a
	 * caller doesn't have
	 */
	public static CallerExpression parse(String text) {
		return parse(text, List.of());
	}

	/**
	 * Parses an expression that may read a method's arguments too.
	 * @param text SpEL as above, and {@code #name} for an argument
	 * @param arguments the names of the method's arguments
	 * @return the expression
	 * @throws IllegalArgumentException if the text is no SpEL or names what there is not
	 */
	public static CallerExpression parse(String text, Collection<String> arguments) {
		try {
			SpelExpression expression = PARSER.parseRaw(text);
			return new CallerExpression(expression, ExpressionNames.of(expression.getAST(), arguments));
		}
		catch (ParseException ex) {
			throw new IllegalArgumentException("'" + text + "' is no SpEL: " + ex.getSimpleMessage(), ex);
		}
	}

	/**
	 * Parses an expression over what is known of a principal alone.
	 * @param text SpEL over {@code user}, which is the principal's name,
	 * {@code authorities} and {@code claim('x')}
	 * @return the expression
	 * @throws IllegalArgumentException if the text is no SpEL or reads anything else
	 */
	public static CallerExpression parseOfPrincipal(String text) {
		CallerExpression parsed = parse(text);
		if (!parsed.names.areOfPrincipal()) {
			throw new IllegalArgumentException(
					"'" + text + "' doesn't tell users apart by user, authorities and claim('name') alone");
		}
		return parsed;
	}

	/**
	 * Whether the expression reads what callers send as they like, so that its value is
	 * the caller's choice.
	 * @return whether it reads a header or a parameter
	 */
	public boolean readsWhatCallersSend() {
		return this.names.haveSent();
	}

	/**
	 * Whether the expression reads what may be secret or personal, so that its value is
	 * better hidden where it is stored.
	 * @return whether it reads a header, a parameter, a claim or a method's argument
	 */
	public boolean readsSensitive() {
		return readsWhatCallersSend() || readsArguments() || this.names.haveClaim();
	}

	/**
	 * Whether the expression's value may tell accounts apart, as opposed to addresses,
	 * endpoints and plans.
	 * @return whether it reads anything else but these
	 */
	public boolean mayNameAccount() {
		return this.names.mayNameAccount();
	}

	/**
	 * Whether the expression reads who is authenticated, so that its value is known no
	 * sooner than the caller is.
	 * @return whether it names the user, the plan, the authorities or a claim
	 */
	public boolean readsIdentity() {
		return this.names.haveIdentity();
	}

	/**
	 * Whether the expression reads an argument, so that its value is known no sooner than
	 * the method is called.
	 * @return whether it names an argument
	 */
	public boolean readsArguments() {
		return !this.names.arguments().isEmpty();
	}

	/**
	 * Whether the expression reads nothing of the caller.
	 * @return whether its value is the same for all
	 */
	public boolean isConstant() {
		return this.names.isConstant();
	}

	/**
	 * Evaluates the expression.
	 * @param caller whose facts it reads
	 * @return the value, which may be {@code null}
	 * @throws EvaluationException if it fails
	 */
	public @Nullable Object evaluate(Caller caller) {
		if (!readsArguments()) {
			return this.expression.getValue(CONTEXT, caller);
		}
		EvaluationContext context = CONTEXTS.build();
		for (String name : this.names.arguments()) {
			context.setVariable(name, caller.argument(name));
		}
		return this.expression.getValue(context, caller);
	}

	@Override
	public String toString() {
		return this.expression.getExpressionString();
	}

	/** Names the facts as rules do; reflection never sees the caller. */
	private static final class CallerAccessor implements PropertyAccessor {

		@Override
		public Class<?>[] getSpecificTargetClasses() {
			return new Class<?>[] { Caller.class };
		}

		@Override
		public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
			return target instanceof Caller && ExpressionNames.PROPERTIES.contains(name);
		}

		@Override
		public TypedValue read(EvaluationContext context, @Nullable Object target, String name) {
			if (!(target instanceof Caller caller)) {
				throw new IllegalArgumentException("Not a caller");
			}
			return new TypedValue(switch (name) {
				case "method" -> caller.method();
				case "path" -> caller.path();
				case "pattern" -> pattern(caller);
				case "ip" -> caller.ip();
				case "user" -> caller.user();
				case "plan" -> caller.plan();
				case "authorities" -> caller.authorities();
				default -> throw new IllegalArgumentException("A caller has no '" + name + "'");
			});
		}

		private static @Nullable String pattern(Caller caller) {
			Endpoint endpoint = caller.endpoint();
			return (endpoint != null) ? endpoint.pattern() : null;
		}

		@Override
		public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
			return false;
		}

		@Override
		public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
			throw new UnsupportedOperationException("A caller can't be changed");
		}

	}

}
