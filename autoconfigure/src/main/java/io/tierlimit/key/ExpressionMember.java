package io.tierlimit.key;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.CollectionUtils;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

import static io.tierlimit.key.ExpressionValues.as;
import static io.tierlimit.key.ExpressionValues.equal;
import static io.tierlimit.key.ExpressionValues.number;
import static java.lang.Math.toIntExact;

/**
 * A member that an expression reads: a method of texts or collections, or an accessor
 * without arguments. Types of {@code java.lang}, {@code java.math} and {@code java.util}
 * have no accessors, because the work of some of their methods grows faster than a
 * client-supplied value.
 */
final class ExpressionMember {

	/** The types of the methods, by their names and numbers of arguments. */
	private static final Map<String, Class<?>> OF_TEXTS = Map.of("length0", Integer.class, "contains1", Boolean.class,
			"startsWith1", Boolean.class, "endsWith1", Boolean.class, "trim0", String.class, "toLowerCase0",
			String.class, "toUpperCase0", String.class, "substring1", String.class, "substring2", String.class);

	private static final Map<String, Class<?>> OF_COLLECTIONS = Map.of("size0", Integer.class, "length0", Integer.class,
			"contains1", Boolean.class, "[]1", Object.class);

	/** The name and the number of arguments. */
	private final String name;

	/** The names of methods that the name may stand for. */
	private final List<String> accessors;

	private final Map<Class<?>, @Nullable Method> found = new ConcurrentReferenceHashMap<>();

	/**
	 * Creates a member.
	 * @param name the name, or {@code []} for an element
	 * @param call whether it is written as a call; otherwise it may be a getter
	 * @param arguments the number of its arguments
	 */
	ExpressionMember(String name, boolean call, int arguments) {
		// These may differ in every request, so every request would have a new bucket.
		boolean none = arguments > 0 || name.equals("hashCode") || name.equals("toString");
		String suffix = StringUtils.capitalize(name);
		this.name = name + arguments;
		this.accessors = none ? List.of() : call ? List.of(name) : List.of("get" + suffix, "is" + suffix, name);
	}

	/**
	 * The type of the member.
	 * @return {@code Object} if it is known at the request only; {@code null} if values
	 * of the owner do not have the member
	 */
	@Nullable Class<?> type(Class<?> owner) {
		if (isClosed(owner)) {
			return (owner == String.class) ? OF_TEXTS.get(this.name)
					: isCollection(owner) ? OF_COLLECTIONS.get(this.name) : null;
		}
		Method accessor = accessor(owner);
		boolean open = (owner == Object.class || Modifier.isAbstract(owner.getModifiers()))
				&& (OF_TEXTS.containsKey(this.name) || OF_COLLECTIONS.containsKey(this.name)
						|| !this.accessors.isEmpty());
		return (accessor != null) ? accessor.getReturnType() : open ? Object.class : null;
	}

	/** Reads the member of a value. */
	@Nullable Object of(Object value, @Nullable Object[] with) {
		if (value instanceof String text && OF_TEXTS.containsKey(this.name)) {
			return ofText(text, with);
		}
		if (isCollection(value.getClass()) && OF_COLLECTIONS.containsKey(this.name)) {
			return ofCollection(value, with);
		}
		Method accessor = this.found.computeIfAbsent(value.getClass(), this::accessor);
		if (accessor == null) {
			throw new ExpressionException("a " + value.getClass().getName() + " does not have such a member", false);
		}
		ReflectionUtils.makeAccessible(accessor);
		return ReflectionUtils.invokeMethod(accessor, value);
	}

	private Object ofText(String text, @Nullable Object[] with) {
		return switch (this.name) {
			case "length0" -> text.length();
			case "trim0" -> text.trim();
			case "toLowerCase0" -> text.toLowerCase(Locale.ROOT);
			case "toUpperCase0" -> text.toUpperCase(Locale.ROOT);
			case "contains1" -> text.contains(as(String.class, with[0]));
			case "startsWith1" -> text.startsWith(as(String.class, with[0]));
			case "endsWith1" -> text.endsWith(as(String.class, with[0]));
			case "substring1" -> text.substring(toIntExact(number(with[0])));
			default -> text.substring(toIntExact(number(with[0])), toIntExact(number(with[1])));
		};
	}

	private Object ofCollection(Object value, @Nullable Object[] with) {
		return switch (this.name) {
			case "[]1" -> (value instanceof List<?> list) ? list.get(toIntExact(number(with[0])))
					: Array.get(value, toIntExact(number(with[0])));
			case "contains1" ->
				((value instanceof Collection<?> all) ? all : CollectionUtils.arrayToList(value)).stream()
					.anyMatch((each) -> equal(each, with[0]));
			default -> (value instanceof Collection<?> all) ? all.size() : Array.getLength(value);
		};
	}

	private @Nullable Method accessor(Class<?> type) {
		for (String name : isClosed(type) ? List.<String>of() : this.accessors) {
			Method method = ClassUtils.getMethodIfAvailable(type, name);
			if (method != null && method.getDeclaringClass() != Object.class) {
				return ClassUtils.getInterfaceMethodIfPossible(method, type);
			}
		}
		return null;
	}

	static boolean isCollection(Class<?> type) {
		return Collection.class.isAssignableFrom(type) || type.isArray();
	}

	private static boolean isClosed(Class<?> type) {
		return isCollection(type)
				|| (type != Object.class && type.getPackageName().matches("java\\.(lang|math|util).*"));
	}

}
