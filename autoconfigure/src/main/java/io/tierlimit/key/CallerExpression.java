package io.tierlimit.key;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.IntLiteral;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
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

	private static final List<String> PROPERTIES = List.of("method", "path", "pattern", "ip", "user", "plan",
			"authorities");

	/** What is known of authenticated callers alone. */
	private static final List<String> IDENTITY = List.of("user", "plan", "authorities");

	private static final List<String> FUNCTIONS = List.of("header", "param");

	/** What there is without being defined. */
	private static final List<String> IMPLICIT = List.of("#this", "#root");

	private static final List<Class<? extends SpelNode>> FORBIDDEN = List.of(TypeReference.class,
			ConstructorReference.class, BeanReference.class, FunctionReference.class, Assign.class, OpInc.class,
			OpDec.class);

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final SimpleEvaluationContext.Builder CONTEXTS = SimpleEvaluationContext
		.forPropertyAccessors(new CallerAccessor(), DataBindingPropertyAccessor.forReadOnlyAccess())
		.withMethodResolvers(DataBindingMethodResolver.forInstanceMethodInvocation());

	private static final EvaluationContext CONTEXT = CONTEXTS.build();

	private final SpelExpression expression;

	private final Set<String> arguments;

	private CallerExpression(SpelExpression expression) {
		this.expression = expression;
		this.arguments = names(expression.getAST(), VariableReference.class);
	}

	/**
	 * Parses an expression where there is no method call.
	 * @param text SpEL over {@code method}, {@code path}, {@code pattern}, {@code ip},
	 * {@code user}, {@code plan}, {@code authorities}, {@code header('X')} and
	 * {@code param('x')}
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
			checkNames(expression.getAST(), true, arguments);
			return new CallerExpression(expression);
		}
		catch (ParseException ex) {
			throw new IllegalArgumentException("'" + text + "' is no SpEL: " + ex.getSimpleMessage(), ex);
		}
	}

	private static void checkNames(SpelNode node, boolean ofCaller, Collection<String> arguments) {
		if (node instanceof VariableReference variable) {
			checkArgument(variable.toStringAST(), arguments);
		}
		if (FORBIDDEN.stream().anyMatch((type) -> type.isInstance(node))) {
			throw outOfReach(node.toStringAST());
		}
		if (ofCaller && node instanceof PropertyOrFieldReference property && !PROPERTIES.contains(property.getName())) {
			throw unknown(property.getName());
		}
		if (ofCaller && node instanceof MethodReference method && !FUNCTIONS.contains(method.getName())) {
			throw unknown(method.getName() + "()");
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			boolean chained = node instanceof CompoundExpression && i > 0;
			boolean ofElement = node instanceof Projection || node instanceof Selection;
			checkNames(node.getChild(i), !chained && !ofElement, arguments);
		}
	}

	private static void checkArgument(String variable, Collection<String> arguments) {
		if (IMPLICIT.contains(variable) || arguments.contains(variable.substring(1))) {
			return;
		}
		if (arguments.isEmpty()) {
			throw outOfReach(variable);
		}
		throw new IllegalArgumentException("The method has no argument '" + variable + "', but "
				+ arguments.stream().map((name) -> "#" + name).collect(Collectors.joining(", ")));
	}

	private static IllegalArgumentException outOfReach(String name) {
		return new IllegalArgumentException(
				"'" + name + "' is out of reach: an expression reads the caller's facts and calls methods on them");
	}

	private static IllegalArgumentException unknown(String name) {
		return new IllegalArgumentException("A caller has no '" + name + "', but " + String.join(", ", PROPERTIES)
				+ ", header('name') and param('name')");
	}

	/**
	 * Whether the expression calls a function of the caller's, so that its value is the
	 * caller's choice.
	 * @return whether it reads a header or a parameter
	 */
	public boolean readsWhatCallersSend() {
		return !Collections.disjoint(names(this.expression.getAST(), MethodReference.class), FUNCTIONS);
	}

	/**
	 * Whether the expression reads who is authenticated, so that its value is known no
	 * sooner than the caller is.
	 * @return whether it names the user, the plan or the authorities
	 */
	public boolean readsIdentity() {
		SpelNode root = this.expression.getAST();
		return !Collections.disjoint(names(root, PropertyOrFieldReference.class), IDENTITY) || hasNamedIndex(root);
	}

	/** A name in brackets may be any fact's. */
	private static boolean hasNamedIndex(SpelNode node) {
		boolean named = node instanceof Indexer && !(node.getChild(0) instanceof IntLiteral);
		for (int i = 0; i < node.getChildCount(); i++) {
			named |= hasNamedIndex(node.getChild(i));
		}
		return named;
	}

	/**
	 * Whether the expression reads an argument, so that its value is known no sooner than
	 * the method is called.
	 * @return whether it names an argument
	 */
	public boolean readsArguments() {
		return !this.arguments.isEmpty();
	}

	/** The names of all functions, properties, or variables that are defined. */
	private static Set<String> names(SpelNode node, Class<? extends SpelNode> type) {
		Set<String> names = new HashSet<>();
		if (type.isInstance(node) && !IMPLICIT.contains(node.toStringAST())) {
			names.add(name(node));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			names.addAll(names(node.getChild(i), type));
		}
		return names;
	}

	private static String name(SpelNode node) {
		if (node instanceof MethodReference method) {
			return method.getName();
		}
		return (node instanceof PropertyOrFieldReference property) ? property.getName()
				: node.toStringAST().substring(1);
	}

	/**
	 * Whether the expression reads nothing of the caller.
	 * @return whether its value is the same for all
	 */
	public boolean isConstant() {
		return isConstant(this.expression.getAST());
	}

	private static boolean isConstant(SpelNode node) {
		boolean constant = !(node instanceof PropertyOrFieldReference || node instanceof MethodReference
				|| node instanceof VariableReference);
		for (int i = 0; i < node.getChildCount(); i++) {
			constant &= isConstant(node.getChild(i));
		}
		return constant;
	}

	/**
	 * Evaluates the expression.
	 * @param caller whose facts it reads
	 * @return the value, which may be {@code null}
	 * @throws EvaluationException if it fails
	 */
	public @Nullable Object evaluate(Caller caller) {
		if (this.arguments.isEmpty()) {
			return this.expression.getValue(CONTEXT, caller);
		}
		EvaluationContext context = CONTEXTS.build();
		for (String name : this.arguments) {
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
			return target instanceof Caller && PROPERTIES.contains(name);
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
				default -> throw unknown(name);
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
