package io.tierlimit.method;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * A place where {@link RateLimited} stands.
 *
 * @param element the method or class
 * @param index which one of several on the same element
 * @param standardId the public id of a rule that is written here and has no name:
 * {@code Class.method} or {@code Class}, and for further ones on the same element
 * {@code Class.method#2} and so on
 * @param annotation the annotation, with the attributes that an annotation of one's own
 * gives it
 */
public record RateLimitedUse(AnnotatedElement element, int index, String standardId, RateLimited annotation) {

	/** What Kotlin's compiler adds to the parameters of a suspending function. */
	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	/**
	 * Creates a place.
	 * @param element the method or class
	 * @param before the places on the same element that come before this one
	 * @param annotation the annotation
	 * @return the place
	 */
	static RateLimitedUse after(List<RateLimitedUse> before, AnnotatedElement element, RateLimited annotation) {
		String name = shortName(element);
		long unnamed = before.stream().filter((use) -> isUnnamed(use.annotation())).count();
		return new RateLimitedUse(element, before.size(), (unnamed == 0) ? name : name + "#" + (unnamed + 1),
				annotation);
	}

	private static boolean isUnnamed(RateLimited annotation) {
		return annotation.value().isEmpty() && annotation.name().isEmpty();
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
		int count = countArguments(method);
		Map<String, Integer> positions = new LinkedHashMap<>();
		for (int i = 0; names != null && i < Math.min(count, names.length); i++) {
			String name = names[i];
			if (name != null) {
				positions.put(name, i);
			}
		}
		for (int i = 0; i < count; i++) {
			positions.putIfAbsent("a" + i, i);
		}
		return positions;
	}

	private static int countArguments(Method method) {
		Class<?>[] types = method.getParameterTypes();
		boolean suspends = types.length > 0 && types[types.length - 1].getName().equals(CONTINUATION);
		return suspends ? types.length - 1 : types.length;
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
