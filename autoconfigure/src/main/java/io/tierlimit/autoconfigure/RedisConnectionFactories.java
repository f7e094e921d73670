package io.tierlimit.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The application's ways to Redis.
 */
final class RedisConnectionFactories {

	private RedisConnectionFactories() {
	}

	/** The names of all of them. */
	static List<String> names(ListableBeanFactory beans) {
		return List.of(beans.getBeanNamesForType(RedisConnectionFactory.class, true, false));
	}

	/** Whether one of several is the application's first choice. */
	static boolean hasPrimary(ConfigurableListableBeanFactory beans) {
		return names(beans).stream()
			.filter(beans::containsBeanDefinition)
			.map(beans::getMergedBeanDefinition)
			.anyMatch(BeanDefinition::isPrimary);
	}

	/** The one of that name, or the only or first one. */
	static RedisConnectionFactory choose(ListableBeanFactory beans, @Nullable String name) {
		return (name != null) ? beans.getBean(name, RedisConnectionFactory.class)
				: beans.getBean(RedisConnectionFactory.class);
	}

}
