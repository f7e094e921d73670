package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.Objects;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.StringUtils;

/**
 * Creates a connection factory like the application's own, which connects to the same
 * servers in the same way, but has shorter timeouts. After a lost connection it neither
 * repeats nor delays a command: the request could be charged twice.
 */
final class DerivedConnectionFactory {

	/** The maximum time to connect, and the minimum timeout of a command. */
	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

	private DerivedConnectionFactory() {
	}

	/**
	 * Creates a factory like another one.
	 * @param timeout the minimum timeout of a command
	 */
	static LettuceConnectionFactory of(LettuceConnectionFactory original, Duration timeout) {
		return new LettuceConnectionFactory(servers(original), client(original, timeout));
	}

	private static RedisConfiguration servers(LettuceConnectionFactory original) {
		// The factory has getters for some kinds of configuration only.
		RedisConfiguration configuration = (RedisConfiguration) Objects
			.requireNonNull(new DirectFieldAccessor(original).getPropertyValue("configuration"));
		if (configuration instanceof RedisStaticMasterReplicaConfiguration) {
			throw new IllegalArgumentException(
					"Buckets cannot be stored on static master and replica nodes. Define another "
							+ "RedisConnectionFactory bean and name it in tierlimit.redis.connection-factory, or set "
							+ "tierlimit.store to memory.");
		}
		return configuration;
	}

	private static LettuceClientConfiguration client(LettuceConnectionFactory original, Duration timeout) {
		LettuceClientConfiguration settings = original.getClientConfiguration();
		LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
			.commandTimeout((timeout.compareTo(CONNECT_TIMEOUT) > 0) ? timeout : CONNECT_TIMEOUT)
			.clientOptions(options(settings, original.isClusterAware()));
		settings.getClientResources().ifPresent(builder::clientResources);
		settings.getClientName().ifPresent(builder::clientName);
		builder.redisCredentialsProviderFactory(
				settings.getRedisCredentialsProviderFactory().orElseGet(ConfiguredCredentials::new));
		if (settings.isUseSsl()) {
			LettuceSslClientConfigurationBuilder ssl = builder.useSsl().verifyPeer(settings.getVerifyMode());
			if (settings.isStartTls()) {
				ssl.startTls();
			}
		}
		return builder.build();
	}

	private static ClientOptions options(LettuceClientConfiguration settings, boolean cluster) {
		ClientOptions options = settings.getClientOptions().orElseGet(ClientOptions::create);
		ClientOptions.Builder builder = options.mutate();
		if (cluster) {
			builder = (options instanceof ClusterClientOptions clusterOptions) ? clusterOptions.mutate()
					: ClusterClientOptions.builder(options);
		}
		return builder.autoReconnect(true)
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			// The store has its own deadline; a timer for each call would cost more.
			.timeoutOptions(TimeoutOptions.create())
			.socketOptions(options.getSocketOptions().mutate().connectTimeout(CONNECT_TIMEOUT).build())
			.build();
	}

	/**
	 * The configured credentials, available without another thread.
	 * <p>
	 * Lettuce resolves credentials on another thread if they are not immediately
	 * available, and its own provider for a user name and a password is not. That thread
	 * may complete the handshake before the event loop activates the connection, which
	 * rejects commands until then: Redis would seem to be unreachable.
	 */
	private static final class ConfiguredCredentials implements RedisCredentialsProviderFactory {

		@Override
		public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
			if (!(configuration instanceof WithAuthentication login)) {
				return credentials(null, RedisPassword.none());
			}
			if (configuration instanceof RedisSentinelConfiguration) {
				return ofSentinel(login.getUsername(), login.getPassword());
			}
			return credentials(login.getUsername(), login.getPassword());
		}

		@Override
		public RedisCredentialsProvider createSentinelCredentialsProvider(RedisSentinelConfiguration configuration) {
			return ofSentinel(configuration.getSentinelUsername(), configuration.getSentinelPassword());
		}

		/** With Sentinel, Spring Data ignores a user without a password. */
		private static RedisCredentialsProvider ofSentinel(@Nullable String user, RedisPassword password) {
			return credentials(password.isPresent() ? user : null, password);
		}

		private static RedisCredentialsProvider credentials(@Nullable String user, RedisPassword password) {
			if (!StringUtils.hasText(user)) {
				return new StaticCredentialsProvider(null, password.toOptional().orElse(null));
			}
			// A user without a password authenticates with an empty one.
			return new StaticCredentialsProvider(user, password.toOptional().orElseGet(() -> new char[0]));
		}

	}

}
