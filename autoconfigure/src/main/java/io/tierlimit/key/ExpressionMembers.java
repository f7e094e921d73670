package io.tierlimit.key;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;

import org.jspecify.annotations.Nullable;

/**
 * The members of a type that an expression can read or call, as SpEL finds them.
 */
final class ExpressionMembers {

	/**
	 * The only methods of numbers that an expression can call; arithmetic uses operators.
	 */
	private static final Set<String> OF_NUMBERS = Set.of("compareTo", "equals", "hashCode", "signum", "toString");

	/** Methods that create long texts from short ones. */
	private static final Set<String> UNBOUNDED = Set.of("formatted", "indent", "repeat");

	/** Methods that interfaces do not declare, by name and number of arguments. */
	private static final Map<String, ResolvableType> OF_OBJECTS = Map.of("equals1",
			ResolvableType.forClass(boolean.class), "hashCode0", ResolvableType.forClass(int.class), "toString0",
			ResolvableType.forClass(String.class));

	private static final Getters GETTERS = new Getters();

	private ExpressionMembers() {
	}

	/** Whether an expression can use a member: its work is bounded, and it is exact. */
	static boolean isSupported(Class<?> type, String name) {
		if (Number.class.isAssignableFrom(type) && type.getName().startsWith("java.")) {
			return OF_NUMBERS.contains(name);
		}
		return type != String.class || !UNBOUNDED.contains(name);
	}

	/**
	 * Whether values of the type have only the members of the type itself.
	 */
	static boolean isClosed(Class<?> type) {
		return Modifier.isFinal(type.getModifiers());
	}

	/**
	 * The type of a property.
	 * @return {@code null} if there is no such property
	 */
	static @Nullable ResolvableType property(ResolvableType owner, Class<?> type, String name) {
		if (type.isArray() && name.equals("length")) {
			return ResolvableType.forClass(Integer.class);
		}
		Method getter = GETTERS.find(name, type);
		if (getter != null) {
			return (getter.getDeclaringClass() != Object.class) ? type(getter, owner) : null;
		}
		Field field = GETTERS.findField(name, type);
		return (field != null) ? ResolvableType.forField(field, owner) : null;
	}

	/**
	 * The type that a method returns.
	 * @param arguments the number of arguments
	 * @return {@link ResolvableType#NONE} if that depends on the arguments, {@code null}
	 * if there is no such method
	 */
	static @Nullable ResolvableType method(ResolvableType owner, Class<?> type, String name, int arguments) {
		List<Method> found = new ArrayList<>();
		for (Method method : type.getMethods()) {
			if (method.getName().equals(name) && isCallable(method) && accepts(method, arguments)) {
				found.add(method);
			}
		}
		if (found.isEmpty() && type.isInterface()) {
			// Every implementation has these. Whether it overrides them is only known at
			// a request.
			return OF_OBJECTS.get(name + arguments);
		}
		if (found.isEmpty()) {
			return null;
		}
		if (found.size() > 1) {
			found.removeIf(Method::isBridge);
		}
		ResolvableType first = found.isEmpty() ? ResolvableType.NONE : type(found.get(0), owner);
		boolean same = found.stream().allMatch((method) -> type(method, owner).resolve() == first.resolve());
		return same ? first : ResolvableType.NONE;
	}

	private static ResolvableType type(Method method, ResolvableType owner) {
		return ResolvableType.forType(method.getGenericReturnType(), owner.as(method.getDeclaringClass()));
	}

	private static boolean isCallable(Method method) {
		return !Modifier.isStatic(method.getModifiers()) && method.getDeclaringClass() != Object.class;
	}

	private static boolean accepts(Method method, int arguments) {
		int parameters = method.getParameterCount();
		return parameters == arguments || (method.isVarArgs() && arguments >= parameters - 1);
	}

	/** Finds getters in the same way as SpEL. */
	private static final class Getters extends ReflectivePropertyAccessor {

		private Getters() {
			super(false);
		}

		private @Nullable Method find(String name, Class<?> type) {
			return findGetterForProperty(name, type, false);
		}

		private @Nullable Field findField(String name, Class<?> type) {
			return findField(name, type, false);
		}

	}

}
