package io.tierlimit.method;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotations that hold a method: its own, and those of its class. Of each the
 * nearest in the hierarchy count.
 */
final class RateLimitedUses {

	private static final String MVC = "org.springframework.web.bind.annotation.";

	private static final List<String> ASIDE = List.of(MVC + "ExceptionHandler", MVC + "InitBinder",
			MVC + "ModelAttribute");

	private static final String SERVING = MVC + "RequestMapping";

	private RateLimitedUses() {
	}

	/**
	 * Finds annotations.
	 * @param method as specific as can be
	 * @param type the class that has the method
	 */
	static List<RateLimitedUse> of(Method method, Class<?> type) {
		if (ReflectionUtils.isObjectMethod(method)) {
			return List.of();
		}
		List<RateLimitedUse> uses = new ArrayList<>(nearest(method));
		if (!isAside(method)) {
			List<RateLimitedUse> ofClass = nearest(type);
			uses.addAll(ofClass.isEmpty() ? nearest(method.getDeclaringClass()) : ofClass);
		}
		return uses;
	}

	/** Whether Spring MVC calls the method beside the one that serves a request. */
	private static boolean isAside(Method method) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		return ASIDE.stream().anyMatch(annotations::isPresent) && !annotations.isPresent(SERVING);
	}

	/**
	 * The annotations on the element itself, or else on the next one that it inherits.
	 */
	static List<RateLimitedUse> nearest(AnnotatedElement element) {
		List<RateLimitedUse> uses = new ArrayList<>();
		int nearest = -1;
		for (MergedAnnotation<RateLimited> found : MergedAnnotations
			.from(element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
			.stream(RateLimited.class)
			.toList()) {
			nearest = (nearest < 0) ? found.getAggregateIndex() : nearest;
			if (found.getAggregateIndex() == nearest) {
				AnnotatedElement source = (AnnotatedElement) Objects.requireNonNull(found.getSource());
				uses.add(RateLimitedUse.after(uses, source, found.synthesize()));
			}
		}
		return uses;
	}

}
