package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.redis.RedisServer;
import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.StoreBudget;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} over Jedis, as a user with only the rights that
 * {@code docs/redis.md} documents.
 */
@Tag("slow")
class JedisPrivilegeTests {

	private final RedisServer server = RedisServer.start();

	@AfterEach
	void stop() {
		this.server.close();
	}

	@Test
	void documentedRightsAreSufficient() {
		JedisConnectionFactory factory = factory(LeastPrivilegeTests.COMMANDS, new GenericObjectPoolConfig<>());
		try {
			assertWorksAltogether(factory);
		}
		finally {
			factory.destroy();
		}
	}

	@Test
	void poolWithConnectionTestsRequiresPing() {
		GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
		pool.setTestOnBorrow(true);
		JedisConnectionFactory without = factory(LeastPrivilegeTests.COMMANDS, pool);
		try (RedisBucketStore store = store(without, new CallLog())) {
			assertThat(store.acquire(List.of(Instance.ten("ping")), new StoreBudget()).source())
				.isEqualTo(AcquireResult.Source.FALLBACK);
		}
		finally {
			without.destroy();
		}
		List<String> more = new ArrayList<>(LeastPrivilegeTests.COMMANDS);
		more.add("+ping");
		JedisConnectionFactory with = factory(more, pool);
		try {
			assertWorksAltogether(with);
		}
		finally {
			with.destroy();
		}
	}

	/**
	 * Acquires, rejects, peeks, refunds, resets one bucket and all, and checks the
	 * status.
	 */
	static void assertWorksAltogether(RedisConnectionFactory factory) {
		Charge charge = Instance.ten("user");
		CallLog log = new CallLog();
		try (RedisBucketStore store = store(factory, log)) {
			for (int i = 0; i < 10; i++) {
				assertThat(store.acquire(List.of(charge), new StoreBudget()).admitted()).isTrue();
			}
			assertThat(store.acquire(List.of(charge), new StoreBudget()).admitted()).isFalse();
			assertThat(store.reset(charge.key(), new StoreBudget())).isTrue();
			store.refund(store.acquire(List.of(charge), new StoreBudget()).charges(), new StoreBudget());
			assertThat(store.peek(List.of(charge)).decisions().get(0).remaining()).isEqualTo(9);
			assertThat(store.resetAll("user")).isTrue();
			assertThat(store.status().reachable()).isTrue();
			assertThat(store.status().lastFailure()).isNull();
			assertThat(log.next()).containsOnly(CallOutcome.ANSWERED);
		}
	}

	private static RedisBucketStore store(RedisConnectionFactory factory, CallLog log) {
		return new RedisBucketStore(factory, Instance.SETTINGS, new InMemoryBucketStore(new SimulatedTicker(), 100),
				log);
	}

	private JedisConnectionFactory factory(List<String> commands, GenericObjectPoolConfig<Connection> pool) {
		LeastPrivilegeTests.createUser(this.server, commands);
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("localhost", this.server.port());
		configuration.setUsername("limiter");
		configuration.setPassword("secret");
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.readTimeout(Duration.ofSeconds(5))
			.connectTimeout(Duration.ofSeconds(5))
			.usePooling()
			.poolConfig(pool)
			.build();
		return TestConnections.started(new JedisConnectionFactory(configuration, client));
	}

}
