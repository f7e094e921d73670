package io.tierlimit.autoconfigure.settings;

import java.util.List;

import io.tierlimit.autoconfigure.properties.StandardBeans;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.properties.TierlimitProperties.Store;
import io.tierlimit.spi.BucketStore;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Checks the choice of a store.
 *
 * @param beans has the store, and its connections
 * @param problems collects the problems
 */
record StoreCheck(ConfigurableListableBeanFactory beans, SettingsProblems problems) {

	private static final String FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

	/** The configuration that is absent if the buckets are in memory. */
	private static final String CONFIGURATION = "io.tierlimit.autoconfigure.TierlimitRedisAutoConfiguration";

	private static final String BREAKER = "io.github.resilience4j.circuitbreaker.CircuitBreaker";

	void check(TierlimitProperties properties) {
		boolean hasOwnStore = this.beans.getBeanNamesForType(BucketStore.class, true, false).length > 0
				&& !this.beans.containsBean(StandardBeans.STORE);
		if (hasOwnStore) {
			return;
		}
		if (properties.store() != Store.MEMORY) {
			checkFactories(properties);
		}
		else if (this.beans.containsBean(CONFIGURATION)) {
			addFrozen("memory", "not memory");
		}
	}

	private void checkFactories(TierlimitProperties properties) {
		String configured = properties.redis().connectionFactory();
		boolean present = isPresent(FACTORY);
		List<String> names = present
				? List.of(this.beans.getBeanNamesForType(RedisConnectionFactory.class, true, false)) : List.of();
		if (names.isEmpty()) {
			if (properties.store() == Store.REDIS || configured != null) {
				boolean named = properties.store() != Store.REDIS;
				this.problems.add(
						(named ? "tierlimit.redis.connection-factory is '" + configured + "'"
								: "tierlimit.store is redis") + ", but there is no RedisConnectionFactory bean",
						(present ? "Define such a bean, or " : "Add spring-boot-starter-data-redis, or ")
								+ (named ? "remove" : "set {} to memory"),
						named ? "tierlimit.redis.connection-factory" : "tierlimit.store");
			}
		}
		else if (!isPresent(BREAKER)) {
			this.problems.add(
					"The store in Redis requires io.github.resilience4j:resilience4j-circuitbreaker, which is not on the class "
							+ "path",
					"Add it (tierlimit-spring-boot-starter includes it), or set {} to memory", "tierlimit.store");
		}
		else if (configured != null && !names.contains(configured)) {
			this.problems.add(
					"tierlimit.redis.connection-factory is '" + configured
							+ "', but the RedisConnectionFactory beans are " + names,
					"Correct", "tierlimit.redis.connection-factory");
		}
		else if (properties.store() == Store.REDIS && !this.beans.containsBean(CONFIGURATION)) {
			addFrozen("redis", "memory");
		}
	}

	private void addFrozen(String store, String before) {
		this.problems.add("tierlimit.store is " + store + ", but was " + before
				+ " when the application was processed ahead of time, or the auto-configuration of the store in Redis is "
				+ "excluded", "Build the application again with this value and its profiles, or change {}",
				"tierlimit.store");
	}

	private boolean isPresent(String type) {
		return ClassUtils.isPresent(type, this.beans.getBeanClassLoader());
	}

}
