package io.tierlimit.method;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.RateLimited;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ReflectionUtils;

/**
 * A {@link RateLimited} annotation on a method or class.
 *
 * @param element the method or class
 * @param index the position among the annotations of the same element
 * @param standardId the default id of a rule that the annotation declares without a name:
 * {@code Class.method} or {@code Class}. Further annotations of this kind on the same
 * element have the ids {@code Class.method#2} and so on
 * @param annotation the annotation, including attributes that a composed annotation sets
 */
public record RateLimitedOperation(AnnotatedElement element, int index, String standardId, RateLimited annotation) {

	/**
	 * The type that Kotlin's compiler adds to the parameters of a suspending function.
	 */
	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	private static final String MVC = "org.springframework.web.bind.annotation.";

	private static final String GRAPHQL = "org.springframework.graphql.data.method.annotation.";

	private static final String MESSAGING = "org.springframework.messaging.handler.annotation.";

	private static final List<String> ASIDE = List.of(MVC + "ExceptionHandler", MVC + "InitBinder",
			MVC + "ModelAttribute", GRAPHQL + "GraphQlExceptionHandler", MESSAGING + "MessageExceptionHandler");

	private static final String SERVING = MVC + "RequestMapping";

	/**
	 * Whether the annotation names a rule that is defined elsewhere.
	 * @return whether it names a rule; otherwise it declares a rule
	 */
	public boolean namesRule() {
		return !this.annotation.value().isEmpty();
	}

	/**
	 * Finds the annotations that apply to a method: annotations of the method, and
	 * annotations of its class. For each of the two, the nearest annotations in the type
	 * hierarchy apply.
	 * @param method the most specific method
	 * @param type the class that has the method
	 */
	static List<RateLimitedOperation> of(Method method, Class<?> type) {
		if (ReflectionUtils.isObjectMethod(method)) {
			return List.of();
		}
		List<RateLimitedOperation> uses = new ArrayList<>(nearest(method));
		if (!isAside(method)) {
			List<RateLimitedOperation> ofClass = nearest(type);
			uses.addAll(ofClass.isEmpty() ? nearest(method.getDeclaringClass()) : ofClass);
		}
		return uses;
	}

	/**
	 * Whether Spring calls the method in addition to the method that serves a request,
	 * such as an exception handler.
	 */
	private static boolean isAside(Method method) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		return ASIDE.stream().anyMatch(annotations::isPresent) && !annotations.isPresent(SERVING);
	}

	/**
	 * The annotations of the element itself. If it has none, the annotations of the
	 * nearest element that it inherits from.
	 */
	static List<RateLimitedOperation> nearest(AnnotatedElement element) {
		List<RateLimitedOperation> uses = new ArrayList<>();
		int nearest = -1;
		for (MergedAnnotation<RateLimited> found : MergedAnnotations
			.from(element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
			.stream(RateLimited.class)
			.toList()) {
			nearest = (nearest < 0) ? found.getAggregateIndex() : nearest;
			if (found.getAggregateIndex() == nearest) {
				AnnotatedElement source = (AnnotatedElement) Objects.requireNonNull(found.getSource());
				uses.add(after(uses, source, found.synthesize()));
			}
		}
		return uses;
	}

	/**
	 * Creates an operation.
	 * @param element the method or class
	 * @param before the operations of the same element that precede this one
	 * @param annotation the annotation
	 * @return the operation
	 */
	private static RateLimitedOperation after(List<RateLimitedOperation> before, AnnotatedElement element,
			RateLimited annotation) {
		String name = shortName(element);
		long unnamed = before.stream().filter((use) -> isUnnamed(use.annotation())).count();
		return new RateLimitedOperation(element, before.size(), (unnamed == 0) ? name : name + "#" + (unnamed + 1),
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
	 * The arguments that expressions can read.
	 * @return the positions of the method's arguments by their names, and by {@code a0},
	 * {@code a1} and so on; empty for a class, whose methods have different arguments
	 */
	Map<String, Integer> arguments() {
		return (this.element instanceof Method method) ? arguments(method) : Map.of();
	}

	/**
	 * The declared types of the arguments that expressions can read.
	 * @return the types by the names of {@link #arguments()}
	 */
	public Map<String, Class<?>> argumentTypes() {
		Map<String, Class<?>> types = new LinkedHashMap<>();
		if (this.element instanceof Method method) {
			arguments(method).forEach((name, position) -> types.put(name, method.getParameterTypes()[position]));
		}
		return types;
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
	 * The location of the annotation in the source code.
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
