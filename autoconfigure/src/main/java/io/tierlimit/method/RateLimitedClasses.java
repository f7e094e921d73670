package io.tierlimit.method;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The classes of beans that annotations stand on, each read once.
 */
public final class RateLimitedClasses {

	private final Map<Class<?>, RateLimitedClass> classes = new ConcurrentHashMap<>();

	private final boolean byInterface;

	private volatile Runnable late = () -> {
	};

	/**
	 * Creates classes.
	 * @param byInterface whether beans with an interface get a proxy of that interface,
	 * and not of their class
	 */
	public RateLimitedClasses(boolean byInterface) {
		this.byInterface = byInterface;
	}

	RateLimitedClass of(Class<?> type) {
		RateLimitedClass known = this.classes.get(type);
		if (known == null) {
			known = RateLimitedClass.of(type, this.byInterface);
			if (this.classes.putIfAbsent(type, known) == null && known.isAnnotated()) {
				checkLate(type);
			}
		}
		return known;
	}

	/** A bean whose annotations are wrong isn't made, now or later. */
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
	 * Has annotations checked that come to light late: of beans that are made lazily, by
	 * a method that doesn't tell their class.
	 * @param check what to do when there are more annotations
	 */
	public void whenMore(Runnable check) {
		this.late = check;
	}

	/**
	 * Reads the classes of all beans that are defined, as far as they are known before
	 * the beans are made. Others are read when they are made.
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
	 * The annotations that are known so far.
	 * @return each place once
	 */
	public Collection<RateLimitedUse> uses() {
		Set<RateLimitedUse> uses = new LinkedHashSet<>();
		this.classes.values().forEach((read) -> uses.addAll(read.uses()));
		return uses;
	}

	/**
	 * What keeps proxies from holding methods.
	 * @return a sentence for each place
	 */
	public Collection<String> obstacles() {
		Set<String> obstacles = new LinkedHashSet<>();
		this.classes.values().forEach((read) -> obstacles.addAll(read.obstacles()));
		return obstacles;
	}

	/**
	 * How many methods are held.
	 * @return the number of methods
	 */
	public long methods() {
		return this.classes.values().stream().flatMap((read) -> read.methods().stream()).distinct().count();
	}

	/**
	 * Beans whose annotations are without effect because they were made without a proxy.
	 * @param beans the bean factory, when all singletons are made
	 * @return the beans' names with their classes
	 */
	public Map<String, Class<?>> withoutProxy(ConfigurableListableBeanFactory beans) {
		Map<String, Class<?>> without = new LinkedHashMap<>();
		List<String> names = new ArrayList<>(List.of(beans.getBeanDefinitionNames()));
		names.removeIf((name) -> !beans.containsSingleton(name));
		for (String name : names) {
			Object bean = beans.getSingleton(name);
			if (bean != null && !isHeld(bean) && of(bean.getClass()).isAnnotated()) {
				without.put(name, bean.getClass());
			}
		}
		return without;
	}

	private static boolean isHeld(Object bean) {
		if (bean instanceof Advised advised) {
			return List.of(advised.getAdvisors())
				.stream()
				.anyMatch((advisor) -> advisor.getAdvice() instanceof RateLimitedInterceptor);
		}
		return bean instanceof FactoryBean;
	}

}
