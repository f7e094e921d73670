package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} over Jedis, as a user with only the rights that
 * {@code docs/redis.md} documents.
 */
class JedisPrivilegeTests extends RedisServerTest {

	@Test
	void documentedRightsAreSufficient() {
		assertWorksAltogether(factory(LeastPrivilegeTests.COMMANDS, new GenericObjectPoolConfig<>()));
	}

	@Test
	void poolWithConnectionTestsRequiresPing() {
		GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
		pool.setTestOnBorrow(true);
		try (Instance without = new Instance(factory(LeastPrivilegeTests.COMMANDS, pool), Instance.SETTINGS)) {
			assertThat(without.acquire(Instance.ten("ping")).source()).isEqualTo(AcquireResult.Source.FALLBACK);
		}
		List<String> more = new ArrayList<>(LeastPrivilegeTests.COMMANDS);
		more.add("+ping");
		assertWorksAltogether(factory(more, pool));
	}

	/**
	 * Asserts that an instance is counted, acquires, rejects, peeks, refunds, resets one
	 * bucket and all buckets, and checks the status.
	 */
	static void assertWorksAltogether(JedisConnectionFactory factory) {
		Charge charge = Instance.ten("user");
		try (Instance instance = new Instance(factory, Instance.COUNTED)) {
			instance.awaitInstances(1);
			instance.calls.next();
			assertThat(instance.request(11, charge)).isEqualTo(Tally.stored(11, 10));
			assertThat(instance.store.reset(charge.key(), new StoreFailureFlag())).isTrue();
			instance.refund(instance.acquire(charge));
			assertThat(instance.left(charge)).isEqualTo(10);
			assertThat(instance.store.resetAll("user")).isTrue();
			assertThat(instance.store.status().reachable()).isTrue();
			assertThat(instance.store.status().lastFailure()).isNull();
			assertThat(instance.calls.next()).containsOnly(CallOutcome.ANSWERED);
		}
	}

	private JedisConnectionFactory factory(List<String> commands, GenericObjectPoolConfig<Connection> pool) {
		LeastPrivilegeTests.createUser(this.server, "limiter", commands);
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("localhost", this.server.port());
		configuration.setUsername("limiter");
		configuration.setPassword("secret");
		return TestConnections
			.started(new JedisConnectionFactory(configuration, TestConnections.jedis(TestConnections.TIMEOUT, pool)));
	}

}
