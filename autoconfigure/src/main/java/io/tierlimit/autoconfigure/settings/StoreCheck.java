package io.tierlimit.autoconfigure.settings;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.properties.StandardBeans;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.properties.TierlimitProperties.Redis;
import io.tierlimit.autoconfigure.properties.TierlimitProperties.Store;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.spi.BucketStore;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Checks the choice of a store and its settings.
 */
final class StoreCheck {

	private static final String FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

	/** The configuration that is absent if the buckets are in memory. */
	private static final String CONFIGURATION = "io.tierlimit.autoconfigure.TierlimitRedisAutoConfiguration";

	private static final String BREAKER = "io.github.resilience4j.circuitbreaker.CircuitBreaker";

	private final ConfigurableListableBeanFactory beans;

	private final PropertyOrigins places;

	private final Problems problems;

	StoreCheck(ConfigurableListableBeanFactory beans, PropertyOrigins places, Problems problems) {
		this.beans = beans;
		this.places = places;
		this.problems = problems;
	}

	void check(TierlimitProperties properties) {
		int maxBuckets = properties.memory().maxBuckets();
		if (maxBuckets < 1) {
			invalid("tierlimit.memory.max-buckets", "must be at least 1", maxBuckets);
		}
		checkSettings(properties.redis());
		boolean hasOwnStore = this.beans.getBeanNamesForType(BucketStore.class, true, false).length > 0
				&& !this.beans.containsBean(StandardBeans.STORE);
		if (properties.store() != Store.MEMORY && !hasOwnStore) {
			checkFactories(properties);
		}
		if (properties.store() == Store.MEMORY && !hasOwnStore && this.beans.containsBean(CONFIGURATION)) {
			addFrozen("memory", "not memory");
		}
	}

	private void checkSettings(Redis redis) {
		if (!redis.keyPrefix().matches("[A-Za-z0-9._:-]{1,64}")) {
			invalid("tierlimit.redis.key-prefix",
					"must have 1 to 64 letters, digits, dots, dashes, underscores and colons",
					"'" + redis.keyPrefix() + "'");
		}
		if (redis.timeout().compareTo(Duration.ofMillis(1)) < 0
				|| redis.timeout().compareTo(Duration.ofMinutes(1)) > 0) {
			invalid("tierlimit.redis.timeout", "must be from 1ms to 1m", redis.timeout());
		}
		BigDecimal share = redis.localShare();
		if (share.signum() <= 0 || share.compareTo(BigDecimal.ONE) > 0) {
			invalid("tierlimit.redis.local-share", "must be above 0 and at most 1", share);
		}
		if (redis.cachedRejections() < 0) {
			invalid("tierlimit.redis.cached-rejections", "must not be negative", redis.cachedRejections());
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
				add((named ? "tierlimit.redis.connection-factory is '" + configured + "'" : "tierlimit.store is redis")
						+ ", but there is no RedisConnectionFactory bean",
						(present ? "Define such a bean, or " : "Add spring-boot-starter-data-redis, or ")
								+ (named ? "remove" : "set {} to memory"),
						named ? "tierlimit.redis.connection-factory" : "tierlimit.store");
			}
		}
		else if (!isPresent(BREAKER)) {
			add("The store in Redis requires io.github.resilience4j:resilience4j-circuitbreaker, which is not on the class "
					+ "path", "Add it (tierlimit-spring-boot-starter includes it), or set {} to memory",
					"tierlimit.store");
		}
		else if (configured != null && !names.contains(configured)) {
			add("tierlimit.redis.connection-factory is '" + configured + "', but the RedisConnectionFactory beans are "
					+ names, "Correct", "tierlimit.redis.connection-factory");
		}
		else if (properties.store() == Store.REDIS && !this.beans.containsBean(CONFIGURATION)) {
			addFrozen("redis", "memory");
		}
	}

	private void addFrozen(String store, String before) {
		add("tierlimit.store is " + store + ", but was " + before
				+ " when the application was processed ahead of time, or the auto-configuration of the store in Redis is "
				+ "excluded", "Build the application again with this value and its profiles, or change {}",
				"tierlimit.store");
	}

	private boolean isPresent(String type) {
		return ClassUtils.isPresent(type, this.beans.getBeanClassLoader());
	}

	private void invalid(String property, String requirement, Object value) {
		ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
		this.places.addInvalid(name, requirement, value, this.problems);
	}

	private void add(String problem, String fix, String property) {
		this.problems.add(problem, fix, this.places.find(ConfigurationPropertyName.of(property)));
	}

}
