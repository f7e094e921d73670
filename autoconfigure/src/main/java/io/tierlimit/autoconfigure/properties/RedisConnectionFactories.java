package io.tierlimit.autoconfigure.properties;

import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The application's ways to Redis, none of which is made to find the one for buckets.
 */
public final class RedisConnectionFactories {

	private RedisConnectionFactories() {
	}

	/**
	 * Returns the names of all of them.
	 * @param beans the bean factory
	 * @return the names of the beans
	 */
	public static List<String> names(ConfigurableListableBeanFactory beans) {
		return List.of(beans.getBeanNamesForType(RedisConnectionFactory.class, true, false));
	}

	/**
	 * The name of the one for buckets: the one that is asked for, or that Spring would
	 * inject.
	 * @param beans the bean factory
	 * @param wanted the name that is asked for, or {@code null}
	 * @return the name, or {@code null} if there is no such one, or several
	 */
	public static @Nullable String choose(ConfigurableListableBeanFactory beans, @Nullable String wanted) {
		List<String> names = names(beans);
		if (wanted != null) {
			return names.contains(wanted) ? wanted : null;
		}
		List<String> candidates = matching(beans, names, RedisConnectionFactories::isCandidate);
		if (candidates.size() > 1) {
			List<String> primary = matching(beans, candidates, BeanDefinition::isPrimary);
			candidates = primary.isEmpty() ? matching(beans, candidates, (definition) -> !definition.isFallback())
					: primary;
		}
		return (candidates.size() == 1) ? candidates.get(0) : null;
	}

	private static List<String> matching(ConfigurableListableBeanFactory beans, List<String> names,
			Predicate<BeanDefinition> test) {
		return names.stream()
			.filter((name) -> !beans.containsBeanDefinition(name) || test.test(beans.getMergedBeanDefinition(name)))
			.toList();
	}

	private static boolean isCandidate(BeanDefinition definition) {
		return definition.isAutowireCandidate()
				&& !(definition instanceof AbstractBeanDefinition full && !full.isDefaultCandidate());
	}

}
