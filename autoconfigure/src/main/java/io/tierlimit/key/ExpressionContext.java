package io.tierlimit.key;

import java.util.List;
import java.util.function.Function;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.Endpoint;
import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * Gives an expression access to the caller's facts and to public members of values,
 * except members whose work grows faster than the client-supplied values.
 */
final class ExpressionContext {

	private static final SimpleEvaluationContext.Builder BUILDER = SimpleEvaluationContext
		.forPropertyAccessors(new CallerAccessor(), new MemberAccessor())
		.withMethodResolvers(new MemberResolver())
		.withTypeConverter(new CheckedConverter());

	private ExpressionContext() {
	}

	static EvaluationContext create() {
		return BUILDER.build();
	}

	/**
	 * Reads a fact without SpEL, which looks up the method for each request.
	 * @param root an expression
	 * @return reads the fact; {@code null} if the expression is more than one fact
	 */
	static @Nullable Function<Caller, @Nullable Object> fact(SpelNode root) {
		if (root instanceof PropertyOrFieldReference property
				&& ExpressionNames.PROPERTIES.contains(property.getName())) {
			return (caller) -> fact(caller, property.getName());
		}
		if (!(root instanceof MethodReference method) || method.getChildCount() != 1
				|| !(method.getChild(0) instanceof StringLiteral literal)) {
			return null;
		}
		String name = String.valueOf(literal.getLiteralValue().getValue());
		return (caller) -> fact(caller, method.getName(), name);
	}

	private static @Nullable Object fact(Caller caller, String function, String name) {
		return switch (function) {
			case "header" -> caller.header(name);
			case "param" -> caller.param(name);
			case "claim" -> caller.claim(name);
			default -> throw ExpressionNames.noFact(function + "()");
		};
	}

	private static @Nullable Object fact(Caller caller, String property) {
		return switch (property) {
			case "method" -> caller.method();
			case "path" -> caller.path();
			case "pattern" -> pattern(caller);
			case "ip" -> caller.ip();
			case "user" -> caller.user();
			case "plan" -> caller.plan();
			case "authorities" -> caller.authorities();
			default -> throw new IllegalArgumentException("A caller has no fact '" + property + "'");
		};
	}

	private static @Nullable String pattern(Caller caller) {
		Endpoint endpoint = caller.endpoint();
		return (endpoint != null) ? endpoint.pattern() : null;
	}

	/** Reads the facts by their names in expressions, without reflection. */
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
				throw new IllegalArgumentException("The target must be a Caller");
			}
			return new TypedValue(fact(caller, name));
		}

		@Override
		public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
			return false;
		}

		@Override
		public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
			throw new UnsupportedOperationException("A caller cannot be changed");
		}

	}

	/** Reads the properties of values. */
	private static final class MemberAccessor implements PropertyAccessor {

		private final PropertyAccessor properties = DataBindingPropertyAccessor.forReadOnlyAccess();

		@Override
		public Class<?> @Nullable [] getSpecificTargetClasses() {
			return null;
		}

		@Override
		public boolean canRead(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
			return target != null && ExpressionMembers.isSupported(target.getClass(), name)
					&& this.properties.canRead(context, target, name);
		}

		@Override
		public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
			// SpEL can read toString() and hashCode() as properties, too.
			TypedValue text = BoundedMethod.text(name, target);
			return (text != null) ? text : this.properties.read(context, target, name);
		}

		@Override
		public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
			return false;
		}

		@Override
		public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
			throw new UnsupportedOperationException("A property cannot be changed");
		}

	}

	/** Finds the methods of values, and without reflection those of a caller. */
	private static final class MemberResolver implements MethodResolver {

		private final MethodResolver methods = DataBindingMethodResolver.forInstanceMethodInvocation();

		@Override
		public @Nullable MethodExecutor resolve(EvaluationContext context, Object target, String name,
				List<@Nullable TypeDescriptor> arguments) throws AccessException {
			if (target instanceof Caller caller) {
				boolean exists = ExpressionNames.FUNCTIONS.contains(name) && arguments.size() == 1;
				return exists ? (state, ignored, values) -> read(caller, name, values[0]) : null;
			}
			if (!ExpressionMembers.isSupported(target.getClass(), name)) {
				return null;
			}
			MethodExecutor executor = this.methods.resolve(context, target, name, arguments);
			return (executor != null) ? BoundedMethod.of(name, target.getClass(), executor) : null;
		}

		private static TypedValue read(Caller caller, String function, @Nullable Object name) {
			String text = KeyText.of(name);
			return (text != null) ? new TypedValue(fact(caller, function, text)) : TypedValue.NULL;
		}

	}

	/** Converts arguments of methods, indexes, and values that are joined with a text. */
	private static final class CheckedConverter implements TypeConverter {

		/** Bounded, as the time to parse a number grows with the square of its length. */
		private static final int MAX_NUMBER_LENGTH = 1000;

		private final TypeConverter converter = new StandardTypeConverter();

		@Override
		public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
			return target.getType() == String.class || this.converter.canConvert(source, target);
		}

		@Override
		public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor source,
				TypeDescriptor target) {
			if (value != null) {
				Fraction.check(value);
			}
			if (target.getType() == String.class) {
				return KeyText.of(value);
			}
			if (value instanceof CharSequence text && text.length() > MAX_NUMBER_LENGTH
					&& Number.class.isAssignableFrom(target.getObjectType())) {
				throw new InvalidFactException("A number has more than " + MAX_NUMBER_LENGTH + " characters", null);
			}
			return this.converter.convertValue(value, source, target);
		}

	}

}
