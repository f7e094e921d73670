package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.redis.Poll;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.AcquireResult.Source;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.StoreBudget;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreListener;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} over Jedis, whose timeouts are as short as the
 * store's.
 */
@Tag("slow")
class JedisOutageTests {

	private static final Duration RECOVERY = Duration.ofSeconds(60);

	/**
	 * For the test that loses replies, which does not depend on any reply in time.
	 */
	private static final Duration SOON = Duration.ofMillis(100);

	private final Charge charge = Instance.ten("jedis");

	private final RedisServer server = RedisServer.start();

	private final TcpProxy network = new TcpProxy(this.server.port());

	private JedisConnectionFactory factory;

	private RedisBucketStore store;

	@BeforeEach
	void start() {
		connect(TestConnections.TIMEOUT);
	}

	@AfterEach
	void stop() {
		disconnect();
		this.network.close();
		this.server.close();
	}

	private void disconnect() {
		this.store.close();
		this.factory.destroy();
	}

	private void connect(Duration timeout) {
		GenericObjectPoolConfig<Object> pool = new GenericObjectPoolConfig<>();
		pool.setMaxWait(timeout);
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.readTimeout(timeout)
			.connectTimeout(timeout)
			.usePooling()
			.poolConfig(pool)
			.build();
		this.factory = TestConnections.started(
				new JedisConnectionFactory(new RedisStandaloneConfiguration("localhost", this.network.port()), client));
		RedisStoreSettings settings = new RedisStoreSettings("tierlimit", timeout, StoreFailurePolicy.LOCAL,
				BigDecimal.ONE, 0);
		this.store = new RedisBucketStore(this.factory, settings, new InMemoryBucketStore(new SimulatedTicker(), 100),
				StoreListener.NONE);
	}

	@Test
	void blackholedConnectionIsAnOutage() {
		disconnect();
		connect(SOON);
		awaitRecovery();
		this.network.swallow();
		assertThat(request(100)).isEqualTo(Tally.alone(100, 10));
		this.network.cut();
		this.network.heal();
		awaitRecovery();
	}

	@Test
	void killedServerIsAnOutageUntilItRestarts() {
		assertThat(request(4)).isEqualTo(Tally.stored(4, 4));
		this.server.kill();
		assertThat(request(100)).isEqualTo(Tally.alone(100, 10));
		this.server.restart();
		awaitRecovery();
	}

	@Test
	void missingScriptIsSentAgainOverJedis() {
		assertThat(request(4)).isEqualTo(Tally.stored(4, 4));
		this.server.command("SCRIPT", "FLUSH");
		assertThat(request(10)).isEqualTo(Tally.stored(10, 6));
	}

	private Tally request(int requests) {
		Tally tally = Tally.NONE;
		for (int i = 0; i < requests; i++) {
			tally = tally.and(Tally.of(this.store.acquire(List.of(this.charge), new StoreBudget())));
		}
		return tally;
	}

	private void awaitRecovery() {
		Poll.until(RECOVERY, () -> {
			AcquireResult result = this.store.acquire(List.of(Instance.ten("probe")), new StoreBudget());
			return result.source() == Source.STORE;
		}, () -> "no reply of Redis");
	}

}
