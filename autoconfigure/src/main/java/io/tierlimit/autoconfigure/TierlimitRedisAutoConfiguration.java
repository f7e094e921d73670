package io.tierlimit.autoconfigure;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.tierlimit.autoconfigure.properties.StandardBeans;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.settings.LocalShareReader;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.redis.RedisBucketStore;
import io.tierlimit.store.redis.RedisStoreSettings;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.context.annotation.DependsOn;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Configures the store in Redis, with a connection factory of the application.
 */
@AutoConfiguration(before = TierlimitAutoConfiguration.class,
		afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
				"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@ConditionalOnClass({ RedisConnectionFactory.class, CircuitBreaker.class })
@Conditional(TierlimitRedisAutoConfiguration.NotInMemory.class)
public final class TierlimitRedisAutoConfiguration {

	@Bean(StandardBeans.STORE)
	@DependsOn("rateLimitConfiguredRules")
	@Conditional(OnConnectionFactory.class)
	@ConditionalOnMissingBean(BucketStore.class)
	RedisBucketStore rateLimitBucketStore(ListableBeanFactory beans, TierlimitProperties properties, Ticker ticker,
			ObjectProvider<StoreListener> listeners) {
		TierlimitProperties.Redis redis = properties.redis();
		RedisStoreSettings settings = new RedisStoreSettings(redis.keyPrefix(), redis.timeout(), redis.onStoreFailure(),
				LocalShareReader.read(redis.localShare()), RedisStoreSettings.CACHED_REJECTIONS);
		return new RedisBucketStore(
				ChosenBean.of(RedisConnectionFactory.class, "tierlimit.redis.connection-factory",
						redis.connectionFactory(), beans),
				settings, new InMemoryBucketStore(ticker, properties.memory().maxBuckets()),
				new CompositeStoreListener(listeners.orderedStream().toList()));
	}

	@Bean
	@ConditionalOnBean(RedisBucketStore.class)
	RedisMembershipLifecycle rateLimitRedisMembershipLifecycle(RedisBucketStore store) {
		return new RedisMembershipLifecycle(store);
	}

	/**
	 * Matches if there is a connection factory, even if Spring can inject it only by
	 * name. If there are several and none is chosen, the application does not start.
	 */
	static final class OnConnectionFactory implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ListableBeanFactory beans = context.getBeanFactory();
			return beans != null && beans.getBeanNamesForType(RedisConnectionFactory.class, true, false).length > 0;
		}

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
