package io.tierlimit.key;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
import org.springframework.expression.spel.ast.OperatorPower;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * The names in an expression. They are checked when it is parsed: names of facts must be
 * those of a caller, names of arguments those of the method.
 */
final class ExpressionNames {

	/** The facts of a caller that are properties. */
	static final List<String> PROPERTIES = List.of("method", "path", "pattern", "ip", "user", "plan", "authorities");

	/** The facts that a client can choose. */
	private static final List<String> CLIENT_SUPPLIED = List.of("header", "param");

	private static final String CLAIM = "claim";

	/** The facts of a caller that have a name. */
	static final List<String> FUNCTIONS = List.of("header", "param", CLAIM);

	/** The facts of authenticated callers. */
	private static final List<String> IDENTITY = List.of("user", "plan", "authorities", CLAIM);

	/**
	 * The facts of the target of a request, which differ between requests of one caller.
	 */
	private static final List<String> TARGET = List.of("method", "path", "pattern", "param");

	/** The facts that a principal does not have; a plan may depend on the request. */
	private static final List<String> OF_REQUEST = List.of("method", "path", "pattern", "ip", "plan");

	/**
	 * The facts that may identify an account, in addition to those that a client can
	 * choose.
	 */
	private static final List<String> OF_ACCOUNT = List.of("path", "user", CLAIM);

	/** The variables that SpEL defines. */
	private static final List<String> IMPLICIT = List.of("#this", "#root");

	/** The positional name of an argument, which it has in addition to its name. */
	private static final Pattern POSITION = Pattern.compile("a[0-9]+");

	private static final List<Class<? extends SpelNode>> FORBIDDEN = List.of(TypeReference.class,
			ConstructorReference.class, BeanReference.class, FunctionReference.class, Assign.class, OpInc.class,
			OpDec.class);

	private final Collection<String> known;

	/** The names of properties and methods of all objects. */
	private final Set<String> members = new HashSet<>();

	private final Set<String> arguments = new HashSet<>();

	private boolean constant = true;

	/** Whether there is a name in brackets, which may be the name of any fact. */
	private boolean index;

	private ExpressionNames(Collection<String> known) {
		this.known = known;
	}

	/**
	 * Collects and checks the names.
	 * @param root the expression
	 * @param arguments the names of the method's arguments
	 * @return the names
	 * @throws IllegalArgumentException if a name does not exist
	 */
	static ExpressionNames of(SpelNode root, Collection<String> arguments) {
		ExpressionNames names = new ExpressionNames(arguments);
		names.collect(root, true, false);
		return names;
	}

	/**
	 * Collects the names of a part.
	 * @param ofCaller whether a name without a target is one of the caller's facts
	 * @param scoped whether the part is within a projection or selection, where the
	 * element is the root of arguments and indexes
	 */
	private void collect(SpelNode node, boolean ofCaller, boolean scoped) {
		if (FORBIDDEN.stream().anyMatch((type) -> type.isInstance(node))) {
			throw notSupported(node.toStringAST());
		}
		if (node instanceof OperatorPower) {
			throw new IllegalArgumentException(
					"'" + node.toStringAST() + "' is a power, which can be endless. Write a product");
		}
		if (node instanceof VariableReference variable) {
			collectVariable(variable.toStringAST());
		}
		else if (node instanceof PropertyOrFieldReference property) {
			collectMember(property.getName(), property.getName(), !ofCaller || PROPERTIES.contains(property.getName()));
		}
		else if (node instanceof MethodReference method) {
			collectMember(method.getName(), method.getName() + "()", !ofCaller || FUNCTIONS.contains(method.getName()));
		}
		this.index |= node instanceof Indexer && !(node.getChild(0) instanceof IntLiteral);
		boolean ofElement = node instanceof Projection || node instanceof Selection;
		boolean ofRoot = node instanceof MethodReference || node instanceof Indexer;
		for (int i = 0; i < node.getChildCount(); i++) {
			boolean chained = node instanceof CompoundExpression && i > 0;
			collect(node.getChild(i), !chained && !ofElement && (ofRoot ? !scoped : ofCaller), scoped || ofElement);
		}
	}

	private void collectVariable(String variable) {
		this.constant = false;
		if (IMPLICIT.contains(variable)) {
			return;
		}
		String name = variable.substring(1);
		if (!this.known.contains(name)) {
			throw this.known.isEmpty() ? notSupported(variable) : noArgument(variable);
		}
		this.arguments.add(name);
	}

	private IllegalArgumentException noArgument(String variable) {
		boolean unnamed = this.known.stream().allMatch((argument) -> POSITION.matcher(argument).matches());
		return new IllegalArgumentException("The method has no argument '" + variable + "', but "
				+ this.known.stream().map((argument) -> "#" + argument).collect(Collectors.joining(", "))
				+ (unnamed ? ": the class file does not contain the names of its parameters. "
						+ "Compile it with -parameters (kotlinc: -java-parameters), or write #a0 for the first argument"
						: ""));
	}

	private void collectMember(String name, String written, boolean exists) {
		this.constant = false;
		if (!exists) {
			throw noFact(written);
		}
		this.members.add(name);
	}

	static IllegalArgumentException noFact(String written) {
		return new IllegalArgumentException("A caller has no fact '" + written + "'. The facts are "
				+ String.join(", ", PROPERTIES) + ", header('name'), param('name') and claim('name')");
	}

	private static IllegalArgumentException notSupported(String name) {
		return new IllegalArgumentException("'" + name
				+ "' is not supported in an expression: it reads the caller's facts and calls methods on them");
	}

	Set<String> arguments() {
		return this.arguments;
	}

	boolean isConstant() {
		return this.constant;
	}

	boolean haveHeaderOrParameter() {
		return !Collections.disjoint(this.members, CLIENT_SUPPLIED);
	}

	boolean haveClaim() {
		return this.members.contains(CLAIM);
	}

	boolean haveIdentity() {
		return this.index || !Collections.disjoint(this.members, IDENTITY);
	}

	boolean haveTarget() {
		return this.index || !Collections.disjoint(this.members, TARGET);
	}

	boolean mayNameAccount() {
		return this.index || haveHeaderOrParameter() || !this.arguments.isEmpty()
				|| !Collections.disjoint(this.members, OF_ACCOUNT);
	}

	/** Whether the expression only reads facts of a principal. */
	boolean areOnlyOfPrincipal() {
		return haveIdentity() && !this.index && !haveHeaderOrParameter() && this.arguments.isEmpty()
				&& Collections.disjoint(this.members, OF_REQUEST);
	}

}
