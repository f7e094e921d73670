package io.tierlimit.method;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * What annotations say about the methods of a bean's class.
 *
 * @param methods the methods that are held
 * @param uses the annotations that hold them
 * @param obstacles what keeps a proxy from holding a method: a sentence for each
 */
record RateLimitedClass(Set<Method> methods, Set<RateLimitedUse> uses, Set<String> obstacles) {

	private static final RateLimitedClass NONE = new RateLimitedClass(Set.of(), Set.of(), Set.of());

	boolean isAnnotated() {
		return !this.uses.isEmpty();
	}

	/**
	 * Reads a class.
	 * @param type a bean's class, which may be a proxy's
	 * @param byInterface whether a method that an interface of the class has is called
	 * through a proxy of that interface
	 */
	static RateLimitedClass of(Class<?> type, boolean byInterface) {
		if (!AnnotationUtils.isCandidateClass(type, RateLimited.class)
				|| type.getName().startsWith("org.springframework.")) {
			return NONE;
		}
		RateLimitedClass read = new RateLimitedClass(new LinkedHashSet<>(), new LinkedHashSet<>(),
				new LinkedHashSet<>());
		List<Class<?>> types = Proxy.isProxyClass(type) ? List.of(type.getInterfaces())
				: List.of(ClassUtils.getUserClass(type));
		types.forEach((each) -> read.add(each, byInterface));
		return read.isAnnotated() ? read : NONE;
	}

	private void add(Class<?> type, boolean byInterface) {
		List<RateLimitedUse> ofClass = RateLimitedUses.nearest(type);
		this.uses.addAll(ofClass);
		List<Method> found = new ArrayList<>();
		ReflectionUtils.doWithMethods(type, found::add, ReflectionUtils.USER_DECLARED_METHODS);
		for (Method method : found) {
			if (ReflectionUtils.isObjectMethod(method)) {
				continue;
			}
			List<RateLimitedUse> own = RateLimitedUses.nearest(method);
			String obstacle = obstacle(method, type, byInterface);
			if (obstacle == null && !(own.isEmpty() && ofClass.isEmpty())) {
				this.methods.add(method);
			}
			if (obstacle != null) {
				List<RateLimitedUse> missed = own.isEmpty() ? missedOf(ofClass, method, byInterface) : own;
				missed.forEach((use) -> addObstacle(use, method, obstacle));
			}
			this.uses.addAll(own);
		}
	}

	/** A class is not held to what its private and static methods do. */
	private static List<RateLimitedUse> missedOf(List<RateLimitedUse> ofClass, Method method, boolean byInterface) {
		int modifiers = method.getModifiers();
		if (ofClass.isEmpty() || byInterface || Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
			return List.of();
		}
		return RateLimitedUses.nearest(method.getDeclaringClass());
	}

	private static @Nullable String obstacle(Method method, Class<?> type, boolean byInterface) {
		boolean interfaced = byInterface && !ClassUtils.getInterfaceMethodIfPossible(method, type).equals(method);
		if (type.isInterface() || interfaced) {
			return Modifier.isStatic(method.getModifiers()) ? "the method is static" : null;
		}
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers)) {
			return "the method is private";
		}
		if (Modifier.isStatic(modifiers)) {
			return "the method is static";
		}
		if (Modifier.isFinal(modifiers)) {
			return "the method is final";
		}
		return Modifier.isFinal(type.getModifiers()) ? "its class is final" : null;
	}

	private void addObstacle(RateLimitedUse use, Method method, String obstacle) {
		String calls = (use.element() instanceof Method) ? "its calls" : "calls of " + RateLimitedUse.longName(method);
		this.obstacles.add(use + " can't hold " + calls + ", because " + obstacle
				+ " and no proxy intercepts it. Make it neither private, static nor final, or put the method into a bean of its own.");
	}

}
