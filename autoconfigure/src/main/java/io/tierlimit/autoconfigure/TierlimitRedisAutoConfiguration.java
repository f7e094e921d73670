package io.tierlimit.autoconfigure;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.redis.RedisBucketStore;
import io.tierlimit.store.redis.RedisStoreSettings;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.DependsOn;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The store in Redis, over the application's own connection factory.
 */
@AutoConfiguration(before = TierlimitAutoConfiguration.class,
		afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
				"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@ConditionalOnClass({ RedisConnectionFactory.class, CircuitBreaker.class })
@Conditional(TierlimitRedisAutoConfiguration.NotInMemory.class)
public final class TierlimitRedisAutoConfiguration {

	@Bean(TierlimitAutoConfiguration.STORE_BEAN)
	@DependsOn("rateLimitConfiguredRules")
	@ConditionalOnBean(RedisConnectionFactory.class)
	@ConditionalOnMissingBean(BucketStore.class)
	RedisBucketStore rateLimitBucketStore(ListableBeanFactory beans, TierlimitProperties properties, Ticker ticker) {
		TierlimitProperties.Redis redis = properties.redis();
		RedisStoreSettings settings = new RedisStoreSettings(redis.keyPrefix(), redis.timeout(), redis.onFailure(),
				redis.localShare(), redis.rememberedRefusals());
		RedisConnectionFactory factory = RedisConnectionFactories.choose(beans, redis.connectionFactory());
		return new RedisBucketStore(factory, settings,
				new InMemoryBucketStore(ticker, properties.memory().maxBuckets()));
	}

	static final class NotInMemory extends NoneNestedConditions {

		NotInMemory() {
			super(ConfigurationPhase.PARSE_CONFIGURATION);
		}

		@ConditionalOnProperty(name = "tierlimit.store", havingValue = "memory")
		static final class InMemory {

		}

	}

}
