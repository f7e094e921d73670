package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;

import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.Charge;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} over Jedis, whose timeouts are as short as the
 * store's.
 */
class JedisOutageTests extends RedisServerTest {

	/**
	 * The timeout of the test that loses replies, which does not depend on replies within
	 * the timeout.
	 */
	private static final Duration SOON = Duration.ofMillis(100);

	private final Charge charge = Instance.ten("jedis");

	@Test
	void blackholedConnectionIsAnOutage() {
		Instance instance = use(instance(SOON));
		instance.awaitRecovery();
		this.network.swallow();
		assertThat(instance.request(100, this.charge)).isEqualTo(Tally.alone(100, 10));
		this.network.cut();
		this.network.heal();
		instance.awaitRecovery();
	}

	@Test
	void killedServerIsAnOutageUntilItRestarts() {
		Instance instance = use(instance(TestConnections.TIMEOUT));
		assertThat(instance.request(4, this.charge)).isEqualTo(Tally.stored(4, 4));
		this.server.kill();
		assertThat(instance.request(100, this.charge)).isEqualTo(Tally.alone(100, 10));
		this.server.restart();
		instance.awaitRecovery();
	}

	@Test
	void missingScriptIsSentAgainOverJedis() {
		Instance instance = use(instance(TestConnections.TIMEOUT));
		assertThat(instance.request(4, this.charge)).isEqualTo(Tally.stored(4, 4));
		this.server.command("SCRIPT", "FLUSH");
		assertThat(instance.request(10, this.charge)).isEqualTo(Tally.stored(10, 6));
	}

	private Instance instance(Duration timeout) {
		GenericObjectPoolConfig<Object> pool = new GenericObjectPoolConfig<>();
		pool.setMaxWait(timeout);
		JedisConnectionFactory factory = TestConnections
			.started(new JedisConnectionFactory(new RedisStandaloneConfiguration("localhost", this.network.port()),
					TestConnections.jedis(timeout, pool)));
		RedisStoreSettings settings = new RedisStoreSettings("tierlimit", timeout, StoreFailurePolicy.LOCAL,
				BigDecimal.ONE, 0);
		return new Instance(factory, settings);
	}

}
