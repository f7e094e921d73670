package io.tierlimit.autoconfigure.rules;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.properties.TierlimitProperties.Redis;
import io.tierlimit.autoconfigure.properties.TierlimitProperties.Store;
import io.tierlimit.spi.BucketStore;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Notes what is wrong with the choice of a store and with its settings.
 */
final class StoreCheck {

	private static final String FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

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
			add("The store in memory needs room for 1 bucket or more but has " + maxBuckets, "Correct",
					"tierlimit.memory.max-buckets");
		}
		checkSettings(properties.redis());
		boolean hasOwnStore = this.beans.getBeanNamesForType(BucketStore.class, true, false).length > 0
				&& !this.beans.containsBean(ConfiguredRules.STORE_BEAN);
		if (properties.store() != Store.MEMORY && !hasOwnStore) {
			checkFactories(properties);
		}
	}

	private void checkSettings(Redis redis) {
		if (!redis.keyPrefix().matches("[A-Za-z0-9._:-]{1,64}")) {
			add("The prefix of keys in Redis has 1 to 64 letters, digits, dots, dashes, underscores and colons, but is '"
					+ redis.keyPrefix() + "'", "Correct", "tierlimit.redis.key-prefix");
		}
		if (redis.timeout().compareTo(Duration.ofMillis(1)) < 0
				|| redis.timeout().compareTo(Duration.ofMinutes(1)) > 0) {
			add("Requests wait for Redis from 1 millisecond to 1 minute, but not for " + redis.timeout(), "Correct",
					"tierlimit.redis.timeout");
		}
		BigDecimal share = redis.localShare();
		if (share.signum() <= 0 || share.compareTo(BigDecimal.ONE) > 0) {
			add("The share that an instance grants by itself is above 0 and 1 at most, but is " + share, "Correct",
					"tierlimit.redis.local-share");
		}
		if (redis.cachedRejections() < 0) {
			add("The number of cached rejections is 0 or more but is " + redis.cachedRejections(), "Correct",
					"tierlimit.redis.cached-rejections");
		}
	}

	private void checkFactories(TierlimitProperties properties) {
		String wanted = properties.redis().connectionFactory();
		boolean present = isPresent(FACTORY);
		List<String> names = present
				? List.of(this.beans.getBeanNamesForType(RedisConnectionFactory.class, true, false)) : List.of();
		if (names.isEmpty()) {
			if (properties.store() == Store.REDIS || wanted != null) {
				add("There is no RedisConnectionFactory bean", present ? "Define one, or choose another store in"
						: "Add spring-boot-starter-data-redis, or choose another store in", "tierlimit.store");
			}
		}
		else if (!isPresent(BREAKER)) {
			add("The store in Redis needs io.github.resilience4j:resilience4j-circuitbreaker, which is not there",
					"Add it (tierlimit-spring-boot-starter brings it), or choose the store memory in",
					"tierlimit.store");
		}
		else if (wanted != null && !names.contains(wanted)) {
			add("There is no RedisConnectionFactory bean '" + wanted + "', but " + names, "Correct",
					"tierlimit.redis.connection-factory");
		}
	}

	private boolean isPresent(String type) {
		return ClassUtils.isPresent(type, this.beans.getBeanClassLoader());
	}

	private void add(String problem, String cure, String property) {
		this.problems.add(problem, cure, this.places.find(ConfigurationPropertyName.of(property)));
	}

}
