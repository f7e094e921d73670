package io.tierlimit.key;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.OperatorBetween;
import org.springframework.expression.spel.ast.OperatorMatches;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Checks at startup that the work of an expression does not grow faster than the
 * client-supplied values. {@link BoundedMethod} checks values whose types are not known
 * before a request.
 */
final class ExpressionWork {

	/** Methods of texts whose work or result depends on each argument. */
	private static final Set<String> NEED_CONSTANTS = Set.of("matches", "replace", "replaceAll", "replaceFirst",
			"split", "splitWithDelimiters");

	/** Methods of texts whose work is the product of both lengths. */
	private static final Set<String> SEARCHES = Set.of("contains", "indexOf", "lastIndexOf");

	/** Methods whose work is bounded by the size of the smaller value. */
	private static final Set<String> COMPARISONS = Set.of("compareTo", "compareToIgnoreCase", "contains", "containsKey",
			"endsWith", "equals", "equalsIgnoreCase", "get", "startsWith");

	/** The facts that {@code #root} returns by name. */
	private static final Set<String> FACTS = Set.of("claim", "header", "param");

	private final Map<String, ResolvableType> arguments;

	ExpressionWork(Map<String, ResolvableType> arguments) {
		this.arguments = arguments;
	}

	static boolean isConstant(SpelNode node) {
		boolean constant = node instanceof Literal || ExactEvaluation.isArithmetic(node) || node instanceof InlineList;
		for (int i = 0; constant && i < node.getChildCount(); i++) {
			constant = isConstant(node.getChild(i));
		}
		return constant;
	}

	/** Checks an operator {@code matches}. */
	static void checkPattern(OperatorMatches matches) {
		if (!isConstant(matches.getChild(1))) {
			throw new IllegalArgumentException("'" + matches.toStringAST()
					+ "' has a pattern that is not a constant, and the time of matches depends on it. Write a constant");
		}
	}

	/**
	 * Checks a call.
	 * @param target the type of the target
	 * @param ofConstant whether the target is a constant
	 * @param arguments the types of the arguments
	 * @param repeated whether it is called for each element of a collection
	 */
	static void checkCall(MethodReference method, ResolvableType target, boolean ofConstant,
			List<ResolvableType> arguments, boolean repeated) {
		Class<?> type = target.resolve();
		boolean text = type != null && CharSequence.class.isAssignableFrom(type);
		boolean maybe = text || type == null || type.isAssignableFrom(String.class);
		int constants = 0;
		if (maybe && NEED_CONSTANTS.contains(method.getName())) {
			constants = arguments.size();
		}
		else if ((text || (maybe && repeated)) && !ofConstant && SEARCHES.contains(method.getName())) {
			constants = Math.min(1, arguments.size());
		}
		for (int i = 0; i < constants; i++) {
			if (!isConstant(method.getChild(i)) && !isShort(arguments.get(i))) {
				throw new IllegalArgumentException(
						"'" + method.toStringAST() + "' has an argument that is not a constant, and the time of "
								+ method.getName() + "() depends on it. Write a constant");
			}
		}
	}

	/**
	 * Checks a part that is evaluated for each element of a collection that may be
	 * client-supplied. Its work must only depend on the element.
	 */
	void checkRepeated(SpelNode node) {
		boolean works = (node instanceof OpPlus && (isOutside(node.getChild(0)) || isOutside(last(node))))
				|| (node instanceof OperatorMatches && isOutside(node.getChild(0)))
				|| (node instanceof OperatorBetween && isOutside(node.getChild(0)))
				|| (ExactEvaluation.isComparison(node) && isOutside(node.getChild(0)) && isOutside(last(node)))
				|| (node instanceof MethodReference method && !COMPARISONS.contains(method.getName())
						&& isOutsideAny(method));
		if (works) {
			throw repeated(node);
		}
	}

	/**
	 * Checks a member of a value that is not the element.
	 * @param owner the type of the value
	 */
	void checkRepeatedMember(SpelNode first, ResolvableType owner, SpelNode member) {
		if (!isOutside(first)) {
			return;
		}
		Class<?> type = owner.resolve();
		boolean fact = member instanceof MethodReference method && FACTS.contains(method.getName())
				&& first instanceof VariableReference variable && variable.toStringAST().equals("#root");
		boolean hashed = member instanceof MethodReference method && COMPARISONS.contains(method.getName())
				&& type != null && (Map.class.isAssignableFrom(type) || Set.class.isAssignableFrom(type));
		boolean property = member instanceof PropertyOrFieldReference && type != String.class;
		if (!fact && !hashed && !property) {
			throw repeated(member);
		}
	}

	private static IllegalArgumentException repeated(SpelNode node) {
		return new IllegalArgumentException("'" + node.toStringAST()
				+ "' is evaluated for each element of a collection, but its time depends on something else. "
				+ "A selection or projection can compare that with the element by ==, or find the element in a map or set");
	}

	private boolean isOutsideAny(SpelNode node) {
		for (int i = 0; i < node.getChildCount(); i++) {
			if (isOutside(node.getChild(i))) {
				return true;
			}
		}
		return false;
	}

	/** Whether a part reads a value other than the element that may be long. */
	private boolean isOutside(SpelNode node) {
		if (node instanceof VariableReference variable) {
			String name = variable.toStringAST();
			ResolvableType type = this.arguments.get(name.substring(1));
			return !name.equals("#this") && (type == null || !isShort(type));
		}
		return isOutsideAny(node);
	}

	private static SpelNode last(SpelNode node) {
		return node.getChild(node.getChildCount() - 1);
	}

	/** Whether all values of a type are short. */
	private static boolean isShort(ResolvableType type) {
		Class<?> known = ExpressionTypes.boxed(type);
		return known != null && (ExpressionTypes.SHORT_NUMBERS.contains(known) || known == Boolean.class
				|| known == Character.class || known.isEnum());
	}

}
