package io.tierlimit.key;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.FloatLiteral;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.IntLiteral;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.RealLiteral;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

import static io.tierlimit.key.ExpressionValues.as;
import static io.tierlimit.key.ExpressionValues.calculate;
import static io.tierlimit.key.ExpressionValues.equal;
import static io.tierlimit.key.ExpressionValues.equalInCost;

/**
 * Compiles the tree that SpEL's parser creates. In one walk, each part of the tree is
 * checked against the types that are known at startup, and is converted to a function of
 * the caller. The facts that a part reads are collected. Parts that this class does not
 * handle are not supported. SpEL itself evaluates nothing, because its arithmetic
 * overflows silently ({@code #rows * 10} can be 0), and the work of the methods that it
 * calls is not bounded.
 *
 * @param use what the expression is evaluated for
 * @param arguments the types of the method's arguments by their names; {@code Object} if
 * a type is not known
 * @param facts collects the facts that the expression reads
 */
record ExpressionCompiler(ExpressionUse use, Map<String, Class<?>> arguments, Set<ExpressionFact.Reference> facts) {

	private static final String CONDITION = "a condition must be true or false";

	private static final String OPERAND = "an operand must be a whole number. In a cost: (header('X') ?: 1)";

	private static final Class<?>[] NUMBER = { Long.class, Integer.class, Short.class, Byte.class };

	/**
	 * Compiles an expression.
	 * @throws IllegalArgumentException if a part of it is not supported or does not
	 * exist, or if its value cannot have the type that its use requires
	 */
	Part compile(SpelNode root) {
		Part part = part(root);
		return switch (this.use) {
			case CONDITION -> part.require(CONDITION, Boolean.class);
			case COST, ACTUAL_COST ->
				(part.type == String.class) ? part : part.require("a cost must be a whole number", NUMBER);
			case PLAN -> part.require("a plan must be a string, or a list of strings", String.class, List.class);
			case KEY, USER -> KeyText.isPossible(part.type) ? part
					: part.require("a key must be a string, a number, or a list of them. Use one of its properties");
		};
	}

	private Part part(SpelNode node) {
		if (node instanceof CompoundExpression) {
			Part part = part(node.getChild(0));
			for (int i = 1; i < node.getChildCount(); i++) {
				part = member(part, node.getChild(i));
			}
			return part;
		}
		if (node instanceof VariableReference) {
			return argument(node, node.toStringAST().substring(1));
		}
		if (node instanceof PropertyOrFieldReference || node instanceof MethodReference) {
			return fact(node);
		}
		if (node instanceof Literal literal && !(node instanceof RealLiteral) && !(node instanceof FloatLiteral)) {
			Object value = literal.getLiteralValue().getValue();
			return new Part(node, (value != null) ? value.getClass() : Object.class, (caller) -> value);
		}
		if (node instanceof OperatorNot) {
			return new Part(node, Boolean.class, condition(part(node.getChild(0))).negate()::test);
		}
		if (node instanceof Elvis) {
			return orElse(node, part(node.getChild(0)), part(node.getChild(1)), "");
		}
		if (node instanceof Ternary) {
			Predicate<Caller> condition = condition(part(node.getChild(0)));
			Part one = part(node.getChild(1));
			Part other = part(node.getChild(2));
			return new Part(node, one.common(other),
					(caller) -> condition.test(caller) ? one.of(caller) : other.of(caller));
		}
		if (node instanceof Operator operator) {
			return operator(node, operator.getOperatorName());
		}
		throw unsupported(node);
	}

	private IllegalArgumentException unsupported(SpelNode node) {
		return unsupported(node, "", "");
	}

	/** The message ends with the alternative for this use of expressions. */
	private IllegalArgumentException unsupported(SpelNode node, String reason, String correction) {
		return new IllegalArgumentException("'" + node.toStringAST() + "' is not supported in an expression" + reason
				+ ": " + correction + this.use.alternative);
	}

	private Part argument(SpelNode node, String name) {
		Class<?> type = this.arguments.get(name);
		if (type == null) {
			throw unsupported(node, ", because the known arguments are " + this.arguments.keySet(),
					"correct its name, compile with -parameters (kotlinc: -java-parameters), or ");
		}
		return readFact(node, ExpressionFact.ARGUMENT, name, type);
	}

	private Part fact(SpelNode node) {
		boolean named = node instanceof MethodReference;
		ExpressionFact fact = ExpressionFact.find(name(node) + (named ? "('name')" : ""));
		if (fact == null || !this.use.allows(fact)) {
			List<ExpressionFact> known = Stream.of(ExpressionFact.values()).filter(this.use::allows).toList();
			throw new IllegalArgumentException("A " + ((this.use == ExpressionUse.ACTUAL_COST) ? "request" : "caller")
					+ " has no fact '" + name(node) + (named ? "()" : "") + "'. The facts are " + known
					+ "; for others, " + this.use.alternative);
		}
		if (named && (node.getChildCount() != 1 || !(node.getChild(0) instanceof StringLiteral))) {
			throw unsupported(node, ", because its name is not a constant", "");
		}
		return readFact(node, fact, named ? as(String.class, part(node.getChild(0)).of(Caller.UNKNOWN)) : "",
				fact.type);
	}

	private Part readFact(SpelNode node, ExpressionFact fact, String name, Class<?> type) {
		this.facts.add(new ExpressionFact.Reference(fact, name));
		return new Part(node, type, (caller) -> fact.reader.apply(caller, name));
	}

	private static String name(SpelNode node) {
		return (node instanceof MethodReference method) ? method.getName()
				: (node instanceof Indexer && node.getChild(0) instanceof IntLiteral) ? "[]" : node.toStringAST();
	}

	private Part member(Part target, SpelNode node) {
		String name = name(node);
		int count = node.getChildCount();
		if (name.equals("orElse") && count == 1 && target.type.isAssignableFrom(Optional.class)) {
			return orElse(node, target, part(node.getChild(0)), null);
		}
		ExpressionMember member = new ExpressionMember(name, node instanceof MethodReference, count);
		boolean readable = node instanceof PropertyOrFieldReference || node instanceof MethodReference
				|| node instanceof Indexer;
		Class<?> type = readable ? member.type(target.type) : null;
		if (type == null) {
			throw unsupported(node, ", because a " + target.type.getName() + " lacks it", "correct its name, or ");
		}
		Part[] arguments = new Part[count];
		Arrays.setAll(arguments, (i) -> part(node.getChild(i)));
		if (name.equals("contains") && count == 1 && !ExpressionMember.isCollection(target.type)
				&& !(target.node instanceof Literal) && !(arguments[0].node instanceof Literal)) {
			throw unsupported(node, ", because its time depends on an argument that is not a constant", "");
		}
		return new Part(node, type, (caller) -> {
			Object value = target.of(caller);
			if (value == null && !((SpelNodeImpl) node).isNullSafe()) {
				throw ExpressionException.ofNull(node.toStringAST());
			}
			@Nullable Object[] values = Arrays.stream(arguments).map((argument) -> argument.of(caller)).toArray();
			return (value != null) ? member.read(value, values) : null;
		});
	}

	private static Part orElse(SpelNode node, Part one, Part other, @Nullable Object absent) {
		return new Part(node, one.common(other), (caller) -> {
			Object value = one.of(caller);
			return (value == null || value.equals(absent)) ? other.of(caller) : value;
		});
	}

	private Part operator(SpelNode node, String operator) {
		boolean unary = node.getChildCount() == 1;
		Part right = part(node.getChild(unary ? 0 : 1));
		Part left = unary ? new Part(node, Long.class, (caller) -> 0L) : part(node.getChild(0));
		boolean joins = !this.use.isCost() && (left.type == String.class || right.type == String.class);
		return switch (unary ? "unary " + operator : operator) {
			case "and" -> new Part(node, Boolean.class, condition(left).and(condition(right))::test);
			case "or" -> new Part(node, Boolean.class, condition(left).or(condition(right))::test);
			case "matches" -> matches(node, left.require("matches compares strings", String.class), right);
			case "==" -> new Part(node, Boolean.class, (caller) -> isEqual(left, right, caller));
			case "!=" -> new Part(node, Boolean.class, (caller) -> !isEqual(left, right, caller));
			case "<", "<=", ">", ">=" -> arithmetic(node, operator, Boolean.class, left, right);
			case "-", "*", "/", "unary -" -> arithmetic(node, operator, Long.class, left, right);
			case "+" -> joins ? operation(node, operator, String.class, left, right)
					: arithmetic(node, operator, left.common(right), left, right);
			default -> throw unsupported(node);
		};
	}

	private boolean isEqual(Part left, Part right, Caller caller) {
		return this.use.isCost() ? equalInCost(left.of(caller), right.of(caller))
				: equal(left.of(caller), right.of(caller));
	}

	private static Predicate<Caller> condition(Part part) {
		part.require(CONDITION, Boolean.class);
		return (caller) -> as(Boolean.class, part.of(caller));
	}

	private Part matches(SpelNode node, Part text, Part constant) {
		if (!(constant.node instanceof Literal) || constant.type != String.class) {
			throw unsupported(node, ", because its time depends on a pattern that is not a constant", "");
		}
		Pattern pattern = Pattern.compile(as(String.class, constant.of(Caller.UNKNOWN)));
		return new Part(node, Boolean.class,
				(caller) -> pattern.matcher(new BoundedText(as(String.class, text.of(caller)), new AtomicInteger()))
					.matches());
	}

	private Part arithmetic(SpelNode node, String operator, Class<?> type, Part left, Part right) {
		return operation(node, operator, type, left.require(OPERAND, NUMBER), right.require(OPERAND, NUMBER));
	}

	private Part operation(SpelNode node, String operator, Class<?> type, Part left, Part right) {
		boolean cost = this.use.isCost();
		return new Part(node, type, (caller) -> calculate(operator, left.of(caller), right.of(caller), cost));
	}

	/**
	 * A part of an expression.
	 *
	 * @param node the part as it is written
	 * @param type the type of its value; {@code Object} if it is not known
	 * @param code evaluates the part
	 */
	record Part(SpelNode node, Class<?> type, Function<Caller, @Nullable Object> code) {

		/**
		 * Evaluates the part. An {@link Optional} becomes its content, and characters
		 * become a {@code String}.
		 */
		@Nullable Object of(Caller caller) {
			Object value = this.code.apply(caller);
			Object content = (value instanceof Optional<?> optional) ? optional.orElse(null) : value;
			return (content instanceof CharSequence || content instanceof Character) ? content.toString() : content;
		}

		/** The type of both parts; {@code Object} if the types differ. */
		private Class<?> common(Part other) {
			return (this.type == other.type) ? this.type : Object.class;
		}

		private Part require(String requirement, Class<?>... types) {
			if (this.type != Optional.class
					&& Arrays.stream(types).noneMatch((each) -> ClassUtils.isAssignable(this.type, each))) {
				throw new IllegalArgumentException(
						"'" + this.node.toStringAST() + "' is a " + this.type.getName() + ", but " + requirement);
			}
			return this;
		}

	}

}
