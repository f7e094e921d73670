package io.tierlimit.store.redis;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import io.tierlimit.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DerivedConnectionFactory}.
 */
@Tag("slow")
class DerivedConnectionFactoryTests {

	static List<RedisConfiguration> configurations() {
		return List.of(new RedisStandaloneConfiguration("localhost", 6379),
				new RedisClusterConfiguration(List.of("localhost:6379")),
				new RedisSentinelConfiguration().master("master").sentinel("localhost", 26379),
				new RedisSocketConfiguration("/tmp/redis.sock"));
	}

	/**
	 * Another thread may complete a handshake before the event loop has activated the
	 * connection, which then rejects the first commands.
	 */
	@Test
	void eventLoopAuthenticatesWithoutAnotherThread() {
		Authentications authentications = new Authentications();
		ClientResources resources = ClientResources.builder().nettyCustomizer(authentications).build();
		try (RedisServer server = RedisServer.start("--requirepass", "secret")) {
			RedisStandaloneConfiguration servers = new RedisStandaloneConfiguration("localhost", server.port());
			servers.setPassword("secret");
			LettuceClientConfiguration client = LettuceClientConfiguration.builder().clientResources(resources).build();
			LettuceConnectionFactory factory = derived(new LettuceConnectionFactory(servers, client));
			factory.afterPropertiesSet();
			factory.start();
			try {
				assertThat(factory.getConnection().ping()).isEqualTo("PONG");
			}
			finally {
				factory.destroy();
			}
		}
		finally {
			Future<Boolean> unused = resources.shutdown();
		}
		assertThat(authentications.onActivation).isNotEmpty().doesNotContain(false);
	}

	@ParameterizedTest
	@MethodSource("configurations")
	void configuredCredentialsAreAvailableImmediately(RedisConfiguration configuration) {
		((WithAuthentication) configuration).setUsername("ada");
		((WithAuthentication) configuration).setPassword("secret");
		RedisCredentials credentials = immediate(credentials(configuration));
		assertThat(credentials.getUsername()).isEqualTo("ada");
		assertThat(credentials.getPassword()).containsExactly("secret".toCharArray());
	}

	@Test
	void sentinelsHaveTheirOwnCredentials() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master("master")
			.sentinel("localhost", 26379);
		configuration.setPassword("secret");
		configuration.setSentinelUsername("guard");
		configuration.setSentinelPassword("other");
		RedisCredentials credentials = immediate(
				credentialsFactory(configuration).createSentinelCredentialsProvider(configuration));
		assertThat(credentials.getUsername()).isEqualTo("guard");
		assertThat(credentials.getPassword()).containsExactly("other".toCharArray());
	}

	/** Like Spring Data Redis. */
	@ParameterizedTest
	@CsvSource(nullValues = "-", value = { "-, -, -", "-, secret, secret", "ada, -, ''", "'', secret, secret" })
	void userOrPasswordMayBeAbsent(@Nullable String user, @Nullable String password, @Nullable String sent) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("localhost", 6379);
		configuration.setUsername(user);
		configuration.setPassword(password);
		RedisCredentials credentials = immediate(credentials(configuration));
		assertThat(credentials.getUsername()).isEqualTo("ada".equals(user) ? user : null);
		assertThat(credentials.getPassword()).isEqualTo((sent != null) ? sent.toCharArray() : null);
	}

	/** Like Spring Data Redis. */
	@Test
	void userWithoutAPasswordDoesNotAuthenticateBehindSentinels() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master("master")
			.sentinel("localhost", 26379);
		configuration.setUsername("ada");
		configuration.setSentinelUsername("guard");
		RedisCredentials server = immediate(credentials(configuration));
		RedisCredentials sentinel = immediate(
				credentialsFactory(configuration).createSentinelCredentialsProvider(configuration));
		assertThat(List.of(server, sentinel)).allSatisfy((credentials) -> {
			assertThat(credentials.hasUsername()).isFalse();
			assertThat(credentials.hasPassword()).isFalse();
		});
	}

	@Test
	void credentialsProviderOfTheApplicationIsKept() {
		RedisCredentialsProviderFactory own = new RedisCredentialsProviderFactory() {
		};
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.redisCredentialsProviderFactory(own)
			.build();
		LettuceConnectionFactory original = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("localhost", 6379), client);
		assertThat(derived(original).getClientConfiguration().getRedisCredentialsProviderFactory()).containsSame(own);
	}

	private static @Nullable RedisCredentialsProvider credentials(RedisConfiguration configuration) {
		return credentialsFactory(configuration).createCredentialsProvider(configuration);
	}

	private static RedisCredentialsProviderFactory credentialsFactory(RedisConfiguration configuration) {
		return derived(new LettuceConnectionFactory(configuration)).getClientConfiguration()
			.getRedisCredentialsProviderFactory()
			.orElseThrow();
	}

	private static RedisCredentials immediate(@Nullable RedisCredentialsProvider provider) {
		assertThat(provider).isInstanceOf(ImmediateRedisCredentialsProvider.class);
		return ((ImmediateRedisCredentialsProvider) Objects.requireNonNull(provider)).resolveCredentialsNow();
	}

	private static LettuceConnectionFactory derived(LettuceConnectionFactory original) {
		return DerivedConnectionFactory.of(original, TestConnections.TIMEOUT);
	}

	/**
	 * Whether the first command of each connection is written while the event loop
	 * activates it; a command from another thread is written later.
	 */
	private static final class Authentications implements NettyCustomizer {

		private final List<Boolean> onActivation = new CopyOnWriteArrayList<>();

		@Override
		public void afterChannelInitialized(Channel channel) {
			channel.pipeline().addFirst(new ChannelDuplexHandler() {

				private boolean activating;

				private boolean written;

				@Override
				public void channelActive(ChannelHandlerContext context) {
					this.activating = true;
					context.fireChannelActive();
					this.activating = false;
				}

				@Override
				public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
					if (!this.written) {
						this.written = true;
						Authentications.this.onActivation.add(this.activating);
					}
					ChannelFuture unused = context.write(message, promise);
				}

			});
		}

	}

}
