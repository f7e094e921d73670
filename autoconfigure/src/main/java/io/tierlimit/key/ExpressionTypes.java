package io.tierlimit.key;

import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.NullLiteral;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.OperatorBetween;
import org.springframework.expression.spel.ast.OperatorMatches;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Checks an expression against the types that are known before any request: those of the
 * caller's facts, and those of the parameters of an annotated method. A value whose type
 * is not known has the type {@link ResolvableType#NONE} and is not checked.
 */
final class ExpressionTypes {

	private static final ResolvableType CALLER = ResolvableType.forClass(Caller.class);

	private static final ResolvableType ANY = ResolvableType.forClass(Object.class);

	private static final ResolvableType TEXT = ResolvableType.forClass(String.class);

	private static final ResolvableType NUMBER = ResolvableType.forClass(Number.class);

	private static final ResolvableType BOOLEAN = ResolvableType.forClass(Boolean.class);

	private static final ResolvableType LIST = ResolvableType.forClass(List.class);

	/** The lists of authorities, whose class has no public members of its own. */
	private static final ResolvableType AUTHORITIES = ResolvableType.forClassWithGenerics(List.class, String.class);

	/** Numbers whose arithmetic takes the same time for all values. */
	static final Set<Class<?>> SHORT_NUMBERS = Set.of(Byte.class, Short.class, Integer.class, Long.class, Float.class,
			Double.class);

	private final ExpressionUse use;

	private final Map<String, ResolvableType> arguments;

	private final ExpressionWork work;

	private final List<String> possibleProblems = new ArrayList<>();

	/**
	 * Creates a check.
	 * @param use what the expression is evaluated for
	 * @param arguments the known types of arguments by name
	 */
	ExpressionTypes(ExpressionUse use, Map<String, ResolvableType> arguments) {
		this.use = use;
		this.arguments = arguments;
		this.work = new ExpressionWork(arguments);
	}

	/** Problems unless a value has a subtype of its declared type that avoids them. */
	List<String> possibleProblems() {
		return this.possibleProblems;
	}

	/**
	 * Checks an expression.
	 * @throws IllegalArgumentException if it uses a member that does not exist or is not
	 * supported, calculates with a value that is not a number, calculates where
	 * arithmetic is not exact, or has unbounded work; or if its value does not have the
	 * type that its use requires
	 */
	void check(SpelNode root) {
		ResolvableType type = type(root, new Place(CALLER, false, false, false));
		if (this.use == ExpressionUse.KEY) {
			checkText(root, type);
		}
		Class<?> known = boxed(type);
		if (known == null || known == Object.class) {
			return;
		}
		if (this.use == ExpressionUse.CONDITION && known != Boolean.class
				&& (ExpressionMembers.isClosed(known) || known == Number.class)) {
			throw new IllegalArgumentException(
					"'" + root.toStringAST() + "' is a " + known.getName() + ", but a condition must be true or false");
		}
		if (this.use == ExpressionUse.COST && root instanceof OpPlus && known == String.class) {
			throw new IllegalArgumentException("'" + root.toStringAST()
					+ "' joins texts, but a cost must be a number. Add values that are numbers");
		}
		if (this.use == ExpressionUse.COST && ExpressionMembers.isClosed(known) && known != String.class
				&& !Number.class.isAssignableFrom(known)) {
			throw new IllegalArgumentException(
					"'" + root.toStringAST() + "' is a " + known.getName() + ", but a cost must be a number");
		}
	}

	/** Checks that the value of a key can be converted to a text. */
	private void checkText(SpelNode root, ResolvableType type) {
		Class<?> known = type.resolve();
		if (known == null || known == Object.class || known == Caller.class) {
			return;
		}
		if (type.isArray() || Collection.class.isAssignableFrom(known)) {
			checkText(root, element(type));
			return;
		}
		if (!KeyText.has(known) && !Modifier.isAbstract(known.getModifiers())) {
			String problem = "'" + root.toStringAST() + "' is a " + known.getName()
					+ ", which has no toString() of its own, so a key cannot contain it. Use one of its properties";
			if (ExpressionMembers.isClosed(known)) {
				throw new IllegalArgumentException(problem);
			}
			this.possibleProblems.add(problem);
		}
	}

	private ResolvableType type(SpelNode node, Place place) {
		if (place.repeated()) {
			this.work.checkRepeated(node);
		}
		if (node instanceof Literal literal) {
			return literal(literal);
		}
		if (node instanceof VariableReference variable) {
			return variable(variable.toStringAST(), place);
		}
		if (node instanceof PropertyOrFieldReference property) {
			return member(place.active(), node, property.getName(), -1);
		}
		if (node instanceof MethodReference method) {
			return method(method, place, false);
		}
		if (node instanceof CompoundExpression) {
			return chain(node, place);
		}
		if (node instanceof Ternary || node instanceof Elvis) {
			return choice(node, place);
		}
		if (ExactEvaluation.isArithmetic(node)) {
			return arithmetic(node, place);
		}
		if (node instanceof OperatorMatches matches) {
			ExpressionWork.checkPattern(matches);
		}
		boolean delegated = node instanceof OperatorMatches || node instanceof OperatorBetween
				|| node instanceof InlineList || node instanceof InlineMap;
		children(node, delegated ? place.inner() : place);
		if (node instanceof InlineList) {
			return LIST;
		}
		return (ExactEvaluation.isComparison(node) || node instanceof OpAnd || node instanceof OpOr
				|| node instanceof OperatorNot || node instanceof OperatorMatches || node instanceof OperatorBetween)
						? BOOLEAN : ResolvableType.NONE;
	}

	private void children(SpelNode node, Place place) {
		for (int i = 0; i < node.getChildCount(); i++) {
			type(node.getChild(i), place);
		}
	}

	private static ResolvableType literal(Literal literal) {
		if (literal instanceof StringLiteral) {
			return TEXT;
		}
		if (literal instanceof BooleanLiteral) {
			return BOOLEAN;
		}
		Object value = (literal instanceof NullLiteral) ? null : literal.getLiteralValue().getValue();
		return (value != null) ? ResolvableType.forClass(value.getClass()) : ResolvableType.NONE;
	}

	private ResolvableType variable(String variable, Place place) {
		if (variable.equals("#root")) {
			return CALLER;
		}
		return variable.equals("#this") ? place.active()
				: this.arguments.getOrDefault(variable.substring(1), ResolvableType.NONE);
	}

	private ResolvableType method(MethodReference method, Place place, boolean ofConstant) {
		if (place.repeated()) {
			this.work.checkRepeated(method);
		}
		Place argument = place.argument();
		List<ResolvableType> arguments = new ArrayList<>();
		for (int i = 0; i < method.getChildCount(); i++) {
			arguments.add(type(method.getChild(i), argument));
		}
		ResolvableType target = place.active();
		ExpressionWork.checkCall(method, target, ofConstant, arguments, place.repeated());
		return member(target, method, method.getName(), arguments.size());
	}

	private ResolvableType chain(SpelNode chain, Place place) {
		SpelNode first = chain.getChild(0);
		boolean leaf = first instanceof PropertyOrFieldReference || first instanceof MethodReference
				|| first instanceof VariableReference || first instanceof Literal;
		ResolvableType type = type(first, leaf ? place : place.inner());
		for (int i = 1; i < chain.getChildCount(); i++) {
			SpelNode next = chain.getChild(i);
			if (place.repeated() && !(next instanceof Indexer)) {
				this.work.checkRepeatedMember(first, type, next);
			}
			if (next instanceof Indexer) {
				children(next, place.argument());
				type = element(type);
			}
			else if (next instanceof Selection || next instanceof Projection) {
				boolean few = (i == 1 && (first instanceof InlineList || first instanceof InlineMap))
						|| isAuthorities(type);
				type(next.getChild(0), new Place(element(type), true, true, place.repeated() || !few));
				type = collection(next, type);
			}
			else if (next instanceof MethodReference method) {
				type = method(method, place.of(type), i == 1 && ExpressionWork.isConstant(first));
			}
			else {
				type = type(next, place.of(type));
			}
		}
		return type;
	}

	@SuppressWarnings("ReferenceEquality") // Other lists of texts may be longer, or have
	// more members.
	private static boolean isAuthorities(ResolvableType type) {
		return type == AUTHORITIES;
	}

	private static ResolvableType collection(SpelNode node, ResolvableType type) {
		boolean list = type.resolve() != null && (type.isArray() || Collection.class.isAssignableFrom(type.toClass()));
		if (!list) {
			return ResolvableType.NONE;
		}
		if (node instanceof Projection) {
			return LIST;
		}
		return node.toStringAST().startsWith("?") ? LIST : element(type);
	}

	private static ResolvableType element(ResolvableType type) {
		if (type.resolve() == null) {
			return ResolvableType.NONE;
		}
		if (type.isArray()) {
			return type.getComponentType();
		}
		if (Collection.class.isAssignableFrom(type.toClass())) {
			return type.as(Collection.class).getGeneric(0);
		}
		if (Map.class.isAssignableFrom(type.toClass())) {
			return ResolvableType.NONE;
		}
		return (type.toClass() == String.class) ? TEXT : ResolvableType.NONE;
	}

	private ResolvableType choice(SpelNode node, Place place) {
		int first = (node instanceof Ternary) ? 1 : 0;
		if (first == 1) {
			type(node.getChild(0), place);
		}
		ResolvableType one = type(node.getChild(first), place);
		ResolvableType other = type(node.getChild(first + 1), place);
		return (boxed(one) != null && boxed(one) == boxed(other)) ? one : ResolvableType.NONE;
	}

	private ResolvableType arithmetic(SpelNode node, Place place) {
		List<ResolvableType> operands = new ArrayList<>();
		for (int i = 0; i < node.getChildCount(); i++) {
			operands.add(type(node.getChild(i), place));
		}
		boolean text = operands.stream().anyMatch((operand) -> operand.resolve() == String.class);
		if (text && node instanceof OpPlus) {
			return TEXT;
		}
		if (text || operands.stream().anyMatch((operand) -> boxed(operand) == Boolean.class)) {
			throw new IllegalArgumentException("'" + node.toStringAST()
					+ "' calculates with a value that is not a number. A text of digits can be a cost, but not an operand");
		}
		boolean harmless = this.use != ExpressionUse.COST
				&& operands.stream().allMatch((operand) -> SHORT_NUMBERS.contains(boxedOrObject(operand)));
		if (place.nested() && !harmless && !ExpressionWork.isConstant(node)) {
			throw new IllegalArgumentException("'" + node.toStringAST()
					+ "' calculates in an argument, an index, a list, a selection, or parentheses before a member, "
					+ "where numbers can overflow. Move the calculation out of it");
		}
		boolean known = operands.stream().allMatch((operand) -> Number.class.isAssignableFrom(boxedOrObject(operand)));
		if (!known) {
			return ResolvableType.NONE;
		}
		return harmless ? operands.get(operands.size() - 1) : NUMBER;
	}

	/** The type of a member: of a property if the number of arguments is -1. */
	private ResolvableType member(ResolvableType owner, SpelNode node, String name, int arguments) {
		Class<?> type = boxed(owner);
		if (type == Caller.class) {
			return fact(node, name, arguments);
		}
		if (type == null || type == Object.class || type == Optional.class) {
			// A null-safe access reads the content of an Optional.
			return ResolvableType.NONE;
		}
		ResolvableType found = (arguments < 0) ? ExpressionMembers.property(owner, type, name)
				: ExpressionMembers.method(owner, type, name, arguments);
		if (found != null && !ExpressionMembers.isSupported(type, name)) {
			throw new IllegalArgumentException(
					"'" + node.toStringAST() + "' of a " + type.getName() + " is not supported in an expression: "
							+ "numbers are calculated by operators only, and no method creates long texts");
		}
		if (found != null) {
			return found;
		}
		String problem = "'" + node.toStringAST() + "' does not exist: " + type.getName() + " has no public "
				+ ((arguments < 0) ? "property '" + name + "'" : "method '" + name + "' with " + count(arguments));
		if (ExpressionMembers.isClosed(type) || isAuthorities(owner)) {
			throw new IllegalArgumentException(problem);
		}
		if (!type.isInterface() && !Modifier.isAbstract(type.getModifiers())) {
			this.possibleProblems.add(problem);
		}
		return ResolvableType.NONE;
	}

	private static String count(int arguments) {
		return arguments + ((arguments == 1) ? " argument" : " arguments");
	}

	private static ResolvableType fact(SpelNode node, String name, int arguments) {
		if (!((arguments < 0) ? ExpressionNames.PROPERTIES : ExpressionNames.FUNCTIONS).contains(name)) {
			throw ExpressionNames.noFact((arguments < 0) ? name : name + "()");
		}
		if (arguments >= 0) {
			if (arguments != 1) {
				throw new IllegalArgumentException("'" + node.toStringAST() + "' has " + count(arguments)
						+ ", but the name is required, as in " + name + "('name')");
			}
			return name.equals("claim") ? ANY : TEXT;
		}
		return name.equals("authorities") ? AUTHORITIES : TEXT;
	}

	static @Nullable Class<?> boxed(ResolvableType type) {
		Class<?> known = type.resolve();
		return (known != null && known.isPrimitive()) ? MethodType.methodType(known).wrap().returnType() : known;
	}

	private static Class<?> boxedOrObject(ResolvableType type) {
		Class<?> known = boxed(type);
		return (known != null) ? known : Object.class;
	}

	/**
	 * The place of a part of an expression.
	 *
	 * @param active the type whose members are read without a target
	 * @param scoped whether it is within a selection or projection
	 * @param nested whether SpEL evaluates it, without exact arithmetic
	 * @param repeated whether it is evaluated for each element of a collection that may
	 * be client-supplied
	 */
	private record Place(ResolvableType active, boolean scoped, boolean nested, boolean repeated) {

		private Place inner() {
			return new Place(this.active, this.scoped, true, this.repeated);
		}

		private Place of(ResolvableType target) {
			return new Place(target, this.scoped, this.nested, this.repeated);
		}

		/**
		 * The place of an argument or an index. Members without a target are those of the
		 * caller; in a selection or projection, those of the element.
		 */
		private Place argument() {
			return of(this.scoped ? ResolvableType.NONE : CALLER).inner();
		}

	}

}
