package io.tierlimit.key;

import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.TypedValue;

/**
 * A method whose work is bounded for every client-supplied value. {@link ExpressionWork}
 * rejects unbounded work at startup. This class checks values whose types are not known
 * at startup.
 */
final class BoundedMethod implements MethodExecutor {

	private static final Set<String> MATCHES = Set.of("matches", "replaceAll", "replaceFirst", "split");

	/** Methods whose work is the product of two sizes. */
	private static final Set<String> SEARCHES = Set.of("contains", "containsAll", "indexOf", "lastIndexOf", "removeAll",
			"retainAll");

	private static final long MOST_COMPARISONS = 10_000_000;

	private final String name;

	private final MethodExecutor method;

	private BoundedMethod(String name, MethodExecutor method) {
		this.name = name;
		this.method = method;
	}

	/** Bounds a method of a type if necessary. */
	static MethodExecutor of(String name, Class<?> type, MethodExecutor method) {
		boolean bounded = Number.class.isAssignableFrom(type) || name.equals("toString") || name.equals("hashCode")
				|| SEARCHES.contains(name) || (type == String.class && MATCHES.contains(name));
		return bounded ? new BoundedMethod(name, method) : method;
	}

	@Override
	public TypedValue execute(EvaluationContext context, Object target, @Nullable Object... arguments)
			throws AccessException {
		Fraction.check(target);
		TypedValue text = (arguments.length == 0) ? text(this.name, target) : null;
		if (text != null) {
			return text;
		}
		if (SEARCHES.contains(this.name)) {
			checkSizes(target, arguments);
		}
		if (target instanceof String input && MATCHES.contains(this.name)) {
			return new TypedValue(match(input, arguments));
		}
		return this.method.execute(context, target, arguments);
	}

	/**
	 * The text of a value, or the hash code of this text, without parts that differ in
	 * every request.
	 * @return {@code null} if the name is that of another member
	 */
	static @Nullable TypedValue text(String name, @Nullable Object target) {
		if (target == null || !(name.equals("toString") || name.equals("hashCode"))) {
			return null;
		}
		String text = KeyText.of(target);
		return new TypedValue(name.equals("toString") ? text : Objects.hashCode(text));
	}

	private void checkSizes(Object target, @Nullable Object[] arguments) {
		boolean hashed = target instanceof Set && this.name.equals("containsAll");
		for (Object argument : arguments) {
			long comparisons = 0;
			if (target instanceof CharSequence text && argument instanceof CharSequence part) {
				comparisons = (long) text.length() * part.length();
			}
			else if (target instanceof Collection<?> all && argument instanceof Collection<?> some && !hashed) {
				comparisons = (long) all.size() * some.size();
			}
			if (comparisons > MOST_COMPARISONS) {
				throw new InvalidFactException(
						"'" + this.name + "' needs more than " + MOST_COMPARISONS + " comparisons", null);
			}
		}
	}

	private Object match(String text, @Nullable Object[] arguments) {
		Pattern pattern = Pattern.compile(argument(arguments, 0));
		CharSequence input = new BoundedText(text, new BoundedText.Reads());
		if (this.name.equals("split")) {
			return pattern.split(input, (arguments.length > 1) ? Integer.parseInt(argument(arguments, 1)) : 0);
		}
		Matcher matcher = pattern.matcher(input);
		return switch (this.name) {
			case "replaceAll" -> matcher.replaceAll(argument(arguments, 1));
			case "replaceFirst" -> matcher.replaceFirst(argument(arguments, 1));
			default -> matcher.matches();
		};
	}

	private static String argument(@Nullable Object[] arguments, int index) {
		return String.valueOf(KeyText.of(arguments[index]));
	}

}
