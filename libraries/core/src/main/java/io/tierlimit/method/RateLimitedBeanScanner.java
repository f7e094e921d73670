package io.tierlimit.method;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.tierlimit.RateLimited;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotations of bean classes. Each class is read once.
 */
public final class RateLimitedBeanScanner {

	private final Map<Class<?>, AnnotatedClass> classes = new ConcurrentHashMap<>();

	private final boolean byInterface;

	private volatile Runnable late = () -> {
	};

	/**
	 * Creates a scanner.
	 * @param byInterface whether beans with an interface get a proxy of that interface
	 * instead of their class
	 */
	public RateLimitedBeanScanner(boolean byInterface) {
		this.byInterface = byInterface;
	}

	/** The annotations of a class. */
	static Collection<RateLimitedOperation> usesOf(Class<?> type) {
		return AnnotatedClass.of(type, false).uses();
	}

	/** Whether annotations apply to methods of a class. */
	boolean appliesTo(Class<?> type) {
		return !of(type).methods().isEmpty();
	}

	private AnnotatedClass of(Class<?> type) {
		AnnotatedClass read = this.classes.get(type);
		if (read == null) {
			read = AnnotatedClass.of(type, this.byInterface);
			if (this.classes.putIfAbsent(type, read) == null && read.isAnnotated()) {
				checkLate(type);
			}
		}
		return read;
	}

	/**
	 * Runs the check of annotations that are found late. A bean with invalid annotations
	 * is not created: the class is read again at the next attempt.
	 */
	private void checkLate(Class<?> type) {
		try {
			this.late.run();
		}
		catch (RuntimeException ex) {
			this.classes.remove(type);
			throw ex;
		}
	}

	/**
	 * Sets the check of annotations that are found late. These are annotations of lazy
	 * beans whose factory method does not declare their class.
	 * @param check called when more annotations are found
	 */
	public void whenMore(Runnable check) {
		this.late = check;
	}

	/**
	 * Reads the classes of all bean definitions. A class that is not known before its
	 * bean is created is read when the bean is created.
	 * @param beans the bean factory
	 */
	public void scan(ConfigurableListableBeanFactory beans) {
		for (String name : beans.getBeanDefinitionNames()) {
			Class<?> type = beans.getType(name, false);
			if (type != null && !FactoryBean.class.isAssignableFrom(type)) {
				of(type);
			}
		}
	}

	/**
	 * The annotations that were found so far.
	 * @return each annotation once
	 */
	public Collection<RateLimitedOperation> uses() {
		Set<RateLimitedOperation> uses = new LinkedHashSet<>();
		this.classes.values().forEach((read) -> uses.addAll(read.uses()));
		return uses;
	}

	/**
	 * The annotations that have no effect because no proxy can intercept the method.
	 * @return a message for each annotation
	 */
	public Collection<String> obstacles() {
		Set<String> obstacles = new LinkedHashSet<>();
		this.classes.values().forEach((read) -> obstacles.addAll(read.obstacles()));
		return obstacles;
	}

	/**
	 * The number of methods to which annotations apply.
	 * @return the number of methods
	 */
	public long methods() {
		return this.classes.values().stream().flatMap((read) -> read.methods().stream()).distinct().count();
	}

	/**
	 * Finds beans whose annotations have no effect because they were created without a
	 * proxy.
	 * @param beans the bean factory, after all singletons were created
	 * @return the names of the beans with their classes
	 */
	public Map<String, Class<?>> withoutProxy(ConfigurableListableBeanFactory beans) {
		Map<String, Class<?>> without = new LinkedHashMap<>();
		for (String name : beans.getBeanDefinitionNames()) {
			Object bean = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
			if (bean != null && !isApplied(bean) && of(bean.getClass()).isAnnotated()) {
				without.put(name, bean.getClass());
			}
		}
		return without;
	}

	private static boolean isApplied(Object bean) {
		return (bean instanceof Advised advised)
				? Arrays.stream(advised.getAdvisors())
					.anyMatch((advisor) -> advisor.getAdvice() instanceof RateLimitedInterceptor)
				: bean instanceof FactoryBean;
	}

	/**
	 * The annotations of a bean's class.
	 *
	 * @param methods the methods to which annotations apply
	 * @param uses the annotations
	 * @param obstacles a message for each method that no proxy can intercept
	 */
	private record AnnotatedClass(Set<Method> methods, Set<RateLimitedOperation> uses, Set<String> obstacles) {

		private static final AnnotatedClass NONE = new AnnotatedClass(Set.of(), Set.of(), Set.of());

		boolean isAnnotated() {
			return !this.uses.isEmpty();
		}

		/**
		 * Reads a class.
		 * @param type a bean's class, which may be the class of a proxy
		 * @param byInterface whether methods of interfaces are called through a proxy of
		 * the interface
		 */
		static AnnotatedClass of(Class<?> type, boolean byInterface) {
			if (!AnnotationUtils.isCandidateClass(type, RateLimited.class)
					|| type.getName().startsWith("org.springframework.")) {
				return NONE;
			}
			AnnotatedClass read = new AnnotatedClass(new LinkedHashSet<>(), new LinkedHashSet<>(),
					new LinkedHashSet<>());
			List<Class<?>> types = Proxy.isProxyClass(type) ? List.of(type.getInterfaces())
					: List.of(ClassUtils.getUserClass(type));
			types.forEach((each) -> read.add(each, byInterface));
			return read.isAnnotated() ? read : NONE;
		}

		private void add(Class<?> type, boolean byInterface) {
			List<RateLimitedOperation> ofClass = RateLimitedOperation.nearest(type);
			this.uses.addAll(ofClass);
			List<Method> found = new ArrayList<>();
			ReflectionUtils.doWithMethods(type, found::add, ReflectionUtils.USER_DECLARED_METHODS);
			for (Method method : found) {
				if (ReflectionUtils.isObjectMethod(method)) {
					continue;
				}
				List<RateLimitedOperation> own = RateLimitedOperation.nearest(method);
				String obstacle = obstacle(method, type, byInterface);
				if (obstacle != null) {
					List<RateLimitedOperation> missed = own.isEmpty() ? missedOf(ofClass, method, byInterface) : own;
					missed.forEach((use) -> addObstacle(use, method, obstacle));
				}
				else if (!own.isEmpty() || !ofClass.isEmpty()) {
					this.methods.add(method);
				}
				this.uses.addAll(own);
			}
		}

		/**
		 * The annotations of a class that do not apply to one of its methods. Private and
		 * static methods are ignored, since the annotation of a class does not include
		 * them.
		 */
		private static List<RateLimitedOperation> missedOf(List<RateLimitedOperation> ofClass, Method method,
				boolean byInterface) {
			int modifiers = method.getModifiers();
			if (ofClass.isEmpty() || byInterface || Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
				return List.of();
			}
			return RateLimitedOperation.nearest(method.getDeclaringClass());
		}

		private static @Nullable String obstacle(Method method, Class<?> type, boolean byInterface) {
			boolean interfaced = type.isInterface()
					|| (byInterface && !ClassUtils.getInterfaceMethodIfPossible(method, type).equals(method));
			int found = method.getModifiers()
					& (interfaced ? Modifier.STATIC : Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL);
			return (found != 0) ? "the method is " + Modifier.toString(found)
					: (!interfaced && Modifier.isFinal(type.getModifiers())) ? "its class is final" : null;
		}

		private void addObstacle(RateLimitedOperation use, Method method, String obstacle) {
			String calls = (use.element() instanceof Method) ? "its calls"
					: "calls to " + RateLimitedOperation.longName(method);
			this.obstacles.add(use + " cannot limit " + calls + ": " + obstacle
					+ ", so no proxy intercepts it. Make it neither private, static nor final, or move the method to another bean.");
		}

	}

}
