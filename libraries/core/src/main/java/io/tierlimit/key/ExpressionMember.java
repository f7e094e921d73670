package io.tierlimit.key;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.CollectionUtils;
import org.springframework.util.ConcurrentLruCache;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

import static io.tierlimit.key.ExpressionValues.as;
import static io.tierlimit.key.ExpressionValues.equal;
import static io.tierlimit.key.ExpressionValues.number;
import static java.lang.Math.toIntExact;

/**
 * A member that an expression reads: a method of strings or collections, or an accessor
 * without arguments. Types of {@code java.lang}, {@code java.math} and {@code java.util}
 * have no accessors, because some of their methods take more than linear time in the size
 * of a client-supplied value.
 */
final class ExpressionMember {

	/** The types of the methods, by their names and numbers of arguments. */
	private static final Map<String, Class<?>> OF_TEXTS = Map.of("length0", Integer.class, "contains1", Boolean.class,
			"startsWith1", Boolean.class, "endsWith1", Boolean.class, "trim0", String.class, "toLowerCase0",
			String.class, "toUpperCase0", String.class, "substring1", String.class, "substring2", String.class);

	private static final Map<String, Class<?>> OF_COLLECTIONS = Map.of("size0", Integer.class, "length0", Integer.class,
			"contains1", Boolean.class, "[]1", Object.class);

	/** The packages of types without accessors. */
	private static final Pattern JDK = Pattern.compile("java\\.(lang|math|util)");

	private final String name;

	/** The name and the number of arguments. */
	private final String signature;

	/** The names of methods to which the name may refer. */
	private final List<String> accessorNames;

	/**
	 * The value is empty for a type without the member. Only the last 100 types are
	 * cached.
	 */
	private final ConcurrentLruCache<Class<?>, Optional<Method>> accessorByType = new ConcurrentLruCache<>(100,
			this::accessor);

	/**
	 * Creates a member.
	 * @param name the name, or {@code []} for an element
	 * @param call whether the member is written as a call; otherwise it may be a getter
	 * @param arguments the number of arguments
	 */
	ExpressionMember(String name, boolean call, int arguments) {
		// An accessor has no arguments. The values of toString() and hashCode() may
		// differ in every request: every request would have a new bucket.
		boolean noAccessor = arguments > 0 || name.equals("hashCode") || name.equals("toString");
		String suffix = StringUtils.capitalize(name);
		this.name = name;
		this.signature = name + arguments;
		this.accessorNames = noAccessor ? List.of()
				: call ? List.of(name) : List.of("get" + suffix, "is" + suffix, name);
	}

	/**
	 * The type of the member.
	 * @return {@code Object} if the type is known only when a request is evaluated;
	 * {@code null} if values of the owner do not have the member
	 */
	@Nullable Class<?> type(Class<?> owner) {
		if (owner == String.class) {
			return OF_TEXTS.get(this.signature);
		}
		if (isCollection(owner)) {
			return OF_COLLECTIONS.get(this.signature);
		}
		Optional<Method> accessor = accessor(owner);
		if (accessor.isPresent()) {
			return accessor.get().getReturnType();
		}
		boolean subtypes = owner == Object.class || (hasAccessors(owner) && Modifier.isAbstract(owner.getModifiers()));
		return (subtypes && isPossible()) ? Object.class : null;
	}

	private boolean isPossible() {
		return OF_TEXTS.containsKey(this.signature) || OF_COLLECTIONS.containsKey(this.signature)
				|| !this.accessorNames.isEmpty();
	}

	/** Reads the member of a value. */
	@Nullable Object read(Object value, @Nullable Object[] arguments) {
		if (value instanceof String text && OF_TEXTS.containsKey(this.signature)) {
			return ofText(text, arguments);
		}
		if (isCollection(value.getClass()) && OF_COLLECTIONS.containsKey(this.signature)) {
			return ofCollection((value instanceof Collection<?> all) ? all : CollectionUtils.arrayToList(value),
					arguments);
		}
		Method accessor = this.accessorByType.get(value.getClass())
			.orElseThrow(() -> new ExpressionException(
					"a " + value.getClass().getName() + " does not have the member '" + this.name + "'"));
		ReflectionUtils.makeAccessible(accessor);
		return ReflectionUtils.invokeMethod(accessor, value);
	}

	private Object ofText(String text, @Nullable Object[] arguments) {
		return switch (this.signature) {
			case "length0" -> text.length();
			case "trim0" -> text.trim();
			case "toLowerCase0" -> text.toLowerCase(Locale.ROOT);
			case "toUpperCase0" -> text.toUpperCase(Locale.ROOT);
			case "contains1" -> text.contains(as(String.class, arguments[0]));
			case "startsWith1" -> text.startsWith(as(String.class, arguments[0]));
			case "endsWith1" -> text.endsWith(as(String.class, arguments[0]));
			case "substring1" -> text.substring(toIntExact(number(arguments[0])));
			default -> text.substring(toIntExact(number(arguments[0])), toIntExact(number(arguments[1])));
		};
	}

	private @Nullable Object ofCollection(Collection<?> all, @Nullable Object[] arguments) {
		return switch (this.signature) {
			case "[]1" -> as(List.class, all).get(toIntExact(number(arguments[0])));
			case "contains1" -> all.stream().anyMatch((each) -> equal(each, arguments[0]));
			default -> all.size();
		};
	}

	private Optional<Method> accessor(Class<?> type) {
		return this.accessorNames.stream()
			.filter((name) -> hasAccessors(type) && ClassUtils.hasMethod(type, name))
			.map((name) -> ClassUtils.getMethod(type, name))
			.filter((method) -> method.getDeclaringClass() != Object.class)
			// A method of an interface can be called even if the class is not public.
			.map((method) -> ClassUtils.getInterfaceMethodIfPossible(method, type))
			.findFirst();
	}

	static boolean isCollection(Class<?> type) {
		return Collection.class.isAssignableFrom(type) || type.isArray();
	}

	private static boolean hasAccessors(Class<?> type) {
		return type == Object.class || !(isCollection(type) || JDK.matcher(type.getPackageName()).lookingAt());
	}

}
