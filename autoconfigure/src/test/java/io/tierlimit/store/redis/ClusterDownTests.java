package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.redis.Poll;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.StoreBudget;
import io.tierlimit.spi.Ticker;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.StoreListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster that serves no slot for a while,
 * which is the default of a cluster without one of its masters.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class ClusterDownTests {

	private static final Log logger = LogFactory.getLog(ClusterDownTests.class);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Charge[] charges = IntStream.range(0, ClusterBuckets.MASTERS)
		.mapToObj((master) -> ClusterBuckets.charge("load", ClusterBuckets.affinityKey(master, 0), 1_000_000))
		.toArray(Charge[]::new);

	private RedisCluster cluster;

	@BeforeEach
	void start() {
		this.cluster = RedisCluster.start();
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void clusterWithoutMasterIsAnOutageUntilItReturns(CapturedOutput output) {
		try (Instance instance = ClusterBuckets.instance(this.cluster)) {
			assertThat(instance.request(1, this.charges)).isEqualTo(Tally.stored(1, 1));
			List<RedisServer> dead = List.of(ClusterBuckets.master(this.cluster, this.charges[0]),
					ClusterBuckets.master(this.cluster, this.charges[1]));
			dead.forEach(RedisServer::kill);
			for (Charge charge : this.charges) {
				Poll.until(PATIENCE, () -> instance.request(20, charge).alone() == 20, () -> instance.all().toString());
			}
			assertThat(instance.request(100, this.charges)).isEqualTo(Tally.alone(100, 100));
			dead.forEach(RedisServer::restart);
			long start = System.nanoTime();
			for (Charge charge : this.charges) {
				Poll.until(PATIENCE, () -> instance.request(20, charge).stored() == 20,
						() -> instance.all().toString());
			}
			logger.info("Recovery after " + (System.nanoTime() - start) / 1_000_000 + " ms");
			new OutageLog(output).awaitOneOutage(instance);
			this.cluster.awaitHealthy();
			assertThat(instance.request(100, this.charges)).isEqualTo(Tally.stored(100, 100));
		}
	}

	@Test
	void deadMasterIsAnOutageOverJedisUntilFailover(CapturedOutput output) {
		RedisClusterConfiguration nodes = TestConnections.of(this.cluster);
		// Otherwise Jedis retries for a multiple of its timeout.
		nodes.setMaxRedirects(1);
		JedisConnectionFactory jedis = TestConnections
			.started(new JedisConnectionFactory(nodes, TestConnections.JEDIS));
		try (RedisBucketStore store = new RedisBucketStore(jedis, Instance.SETTINGS,
				new InMemoryBucketStore(Ticker.system(), 10), StoreListener.NONE)) {
			assertThat(request(store, 10)).isEqualTo(Tally.stored(10, 10));
			RedisServer dead = ClusterBuckets.master(this.cluster, this.charges[0]);
			dead.kill();
			Poll.until(PATIENCE, () -> request(store, 1).alone() == 1, () -> "not noticed");
			this.cluster.awaitMasterOtherThan(dead, ClusterBuckets.slot(ClusterBuckets.name(this.charges[0])));
			long start = System.nanoTime();
			Poll.until(PATIENCE, () -> request(store, 20).stored() == 20, () -> "not over");
			logger.info("Recovery after " + (System.nanoTime() - start) / 1_000_000 + " ms");
		}
		finally {
			jedis.destroy();
		}
		assertThat(new OutageLog(output).begun()).isOne();
	}

	private Tally request(RedisBucketStore store, int requests) {
		Tally tally = Tally.NONE;
		for (int i = 0; i < requests; i++) {
			long start = System.nanoTime();
			tally = tally.and(Tally.of(store.acquire(List.of(this.charges), new StoreBudget())));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Instance.LONGEST);
		}
		return tally;
	}

}
