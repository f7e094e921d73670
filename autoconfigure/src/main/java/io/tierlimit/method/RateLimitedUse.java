package io.tierlimit.method;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * A place where {@link RateLimited} stands.
 *
 * @param element the method or class
 * @param index which one of several on the same element
 * @param annotation the annotation, with the attributes that an annotation of one's own
 * gives it
 */
public record RateLimitedUse(AnnotatedElement element, int index, RateLimited annotation) {

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	/**
	 * The public id of a rule that is written here and has no name.
	 * @return {@code Class.method} or {@code Class}
	 */
	public String standardId() {
		return shortName(this.element);
	}

	static String shortName(AnnotatedElement element) {
		return (element instanceof Method method) ? method.getDeclaringClass().getSimpleName() + "." + method.getName()
				: ((Class<?>) element).getSimpleName();
	}

	/**
	 * What expressions may name of the call.
	 * @return the positions of the method's arguments by their names, and by {@code a0},
	 * {@code a1} and so on; empty on a class, whose methods have different ones
	 */
	public Map<String, Integer> arguments() {
		return (this.element instanceof Method method) ? arguments(method) : Map.of();
	}

	static Map<String, Integer> arguments(Method method) {
		@Nullable String @Nullable [] names = NAMES.getParameterNames(method);
		Map<String, Integer> positions = new LinkedHashMap<>();
		for (int i = 0; i < method.getParameterCount(); i++) {
			String name = (names != null) ? names[i] : null;
			if (name != null) {
				positions.put(name, i);
			}
		}
		for (int i = 0; i < method.getParameterCount(); i++) {
			positions.putIfAbsent("a" + i, i);
		}
		return positions;
	}

	/**
	 * Where the annotation stands, as a developer would look for it.
	 */
	@Override
	public String toString() {
		return "@RateLimited on " + longName(this.element);
	}

	static String longName(AnnotatedElement element) {
		return (element instanceof Method method) ? method.getDeclaringClass().getTypeName() + "." + method.getName()
				: ((Class<?>) element).getTypeName();
	}

}
