package io.tierlimit.key;

import java.lang.reflect.Array;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to texts for keys. Equal values have the same text, and different
 * values of one type have different texts, if this applies to their {@code toString()}.
 * The default {@link Object#toString()} is not supported: it differs in every request, so
 * every request would have a new bucket.
 */
final class KeyText {

	/** The maximum number of characters of a collection, an array, a map or a record. */
	private static final int MAX_LENGTH = 100_000;

	private static final int MAX_DEPTH = 100;

	/**
	 * Characters that are escaped in elements, so that different lists have different
	 * texts.
	 */
	private static final String SYNTAX = "\\,[]{}=(\"";

	private KeyText() {
	}

	/**
	 * The text of a value.
	 * @param value any value
	 * @return the text; {@code null} if there is no value, as in an empty
	 * {@link Optional}
	 * @throws ExpressionException if the value, or an element of it, is an object that
	 * does not override {@code toString()}, or a record whose components cannot be read
	 * @throws InvalidFactException if the text or a number is too long, or if the value
	 * is nested too deeply
	 */
	static @Nullable String of(@Nullable Object value) {
		return of(value, 0);
	}

	/**
	 * Whether the values of a type can have a text. A native image may lack the methods
	 * of the type: then they count as having one.
	 */
	static boolean has(Class<?> type) {
		if (type.isArray() || type.isPrimitive() || type.isInterface() || type == Optional.class) {
			return true;
		}
		try {
			return type.getMethod("toString").getDeclaringClass() != Object.class;
		}
		catch (NoSuchMethodException ex) {
			return true;
		}
	}

	private static @Nullable String of(@Nullable Object value, int depth) {
		if (value instanceof Optional<?> optional) {
			return of(optional.orElse(null), depth);
		}
		if (value == null) {
			return null;
		}
		String elements = elements(value, depth);
		if (elements != null) {
			return elements;
		}
		String text = scalarText(value);
		return (depth > 0) ? escaped(text) : text;
	}

	/** The text of a value with elements; {@code null} for any other value. */
	private static @Nullable String elements(Object value, int depth) {
		if (value instanceof Collection<?> collection) {
			List<String> texts = texts(collection, depth);
			if (value instanceof Set) {
				texts.sort(null);
			}
			return "[" + String.join(", ", texts) + "]";
		}
		if (value instanceof Map<?, ?> map) {
			List<String> texts = entries(map, depth);
			texts.sort(null);
			return "{" + String.join(", ", texts) + "}";
		}
		if (value.getClass().isArray()) {
			return "[" + String.join(", ", texts(elementsOf(value), depth)) + "]";
		}
		if (value instanceof Record && generatedText(value).equals(value.toString())) {
			return value.getClass().getSimpleName() + "[" + String.join(", ", entries(components(value), depth)) + "]";
		}
		return null;
	}

	private static String scalarText(Object value) {
		if (value instanceof Number number) {
			return Fraction.plain(number);
		}
		return (value instanceof Enum<?> constant) ? constant.name() : ownText(value);
	}

	private static String ownText(Object value) {
		String text = value.toString();
		if (!(value instanceof CharSequence) && isStandard(text, value)) {
			throw new ExpressionException(
					"a " + value.getClass().getName() + " has no toString() of its own, which a key requires");
		}
		return text;
	}

	/**
	 * Whether a text is the one of {@link Object#toString()}. The hash code in it may
	 * have changed since. A native image finds it by the hash code, since it may lack
	 * methods.
	 */
	private static boolean isStandard(String text, Object value) {
		String beginning = value.getClass().getName() + "@";
		return text.startsWith(beginning)
				&& (!has(value.getClass()) || text.equals(beginning + Integer.toHexString(value.hashCode())));
	}

	private static List<String> texts(Iterable<?> values, int depth) {
		List<String> texts = new ArrayList<>();
		int length = 0;
		for (Object value : values) {
			String text = element(value, depth);
			length = checkedLength(length, text);
			texts.add(text);
		}
		return texts;
	}

	private static List<String> entries(Map<?, ?> map, int depth) {
		List<String> texts = new ArrayList<>();
		int length = 0;
		for (Map.Entry<?, ?> entry : map.entrySet()) {
			String text = element(entry.getKey(), depth) + "=" + element(entry.getValue(), depth);
			length = checkedLength(length, text);
			texts.add(text);
		}
		return texts;
	}

	private static int checkedLength(int length, String element) {
		if (length + element.length() + 2 > MAX_LENGTH) {
			throw new InvalidFactException("A text has more than " + MAX_LENGTH + " characters", null);
		}
		return length + element.length() + 2;
	}

	private static String element(@Nullable Object value, int depth) {
		if (depth == MAX_DEPTH) {
			throw new InvalidFactException("A value is nested more than " + MAX_DEPTH + " levels deep", null);
		}
		String text = of(value, depth + 1);
		return (text != null) ? text : "(null)";
	}

	private static String escaped(String text) {
		if (text.isEmpty()) {
			return "\"\"";
		}
		StringBuilder escaped = new StringBuilder(text.length());
		for (int i = 0; i < text.length(); i++) {
			if (SYNTAX.indexOf(text.charAt(i)) >= 0) {
				escaped.append('\\');
			}
			escaped.append(text.charAt(i));
		}
		return escaped.toString();
	}

	private static List<@Nullable Object> elementsOf(Object array) {
		int length = Array.getLength(array);
		if (length > MAX_LENGTH) {
			throw new InvalidFactException("An array has more than " + MAX_LENGTH + " elements", null);
		}
		List<@Nullable Object> elements = new ArrayList<>(length);
		for (int i = 0; i < length; i++) {
			elements.add(Array.get(array, i));
		}
		return elements;
	}

	/** The text that a record's toString() returns unless the record overrides it. */
	private static String generatedText(Object value) {
		List<String> texts = new ArrayList<>();
		components(value).forEach((name, component) -> texts.add(name + "=" + component));
		return value.getClass().getSimpleName() + "[" + String.join(", ", texts) + "]";
	}

	private static Map<String, @Nullable Object> components(Object value) {
		Map<String, @Nullable Object> components = new LinkedHashMap<>();
		for (RecordComponent component : value.getClass().getRecordComponents()) {
			Object found = read(component, value);
			if (found != null) {
				Fraction.check(found);
			}
			components.put(component.getName(), found);
		}
		return components;
	}

	private static @Nullable Object read(RecordComponent component, Object value) {
		try {
			Method accessor = component.getAccessor();
			accessor.setAccessible(true);
			return accessor.invoke(value);
		}
		catch (ReflectiveOperationException | InaccessibleObjectException ex) {
			throw new ExpressionException("the components of a " + value.getClass().getName() + " cannot be read");
		}
	}

}
