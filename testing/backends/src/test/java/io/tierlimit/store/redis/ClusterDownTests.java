package io.tierlimit.store.redis;

import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.junit.Poll;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.Charge;
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
 * which by default happens when a cluster has lost one of its masters.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class ClusterDownTests {

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
		try (Instance instance = new Instance(ClusterBuckets.factory(this.cluster), Instance.SETTINGS).connected()) {
			assertThat(instance.request(1, this.charges)).isEqualTo(Tally.stored(1, 1));
			List<RedisServer> dead = List.of(ClusterBuckets.master(this.cluster, this.charges[0]),
					ClusterBuckets.master(this.cluster, this.charges[1]));
			dead.forEach(RedisServer::kill);
			for (Charge charge : this.charges) {
				Poll.until(() -> instance.request(20, charge).alone() == 20, () -> instance.all().toString());
			}
			assertThat(instance.request(100, this.charges)).isEqualTo(Tally.alone(100, 100));
			dead.forEach(RedisServer::restart);
			for (Charge charge : this.charges) {
				Poll.until(() -> instance.request(20, charge).stored() == 20, () -> instance.all().toString());
			}
			new OutageLog(output).awaitOneOutage(instance);
			this.cluster.awaitHealthy();
			assertThat(instance.request(100, this.charges)).isEqualTo(Tally.stored(100, 100));
		}
	}

	@Test
	void deadMasterIsAnOutageOverJedisUntilFailover(CapturedOutput output) {
		RedisClusterConfiguration nodes = TestConnections.of(this.cluster);
		// By default, Jedis retries for a multiple of its timeout.
		nodes.setMaxRedirects(1);
		JedisConnectionFactory jedis = TestConnections
			.started(new JedisConnectionFactory(nodes, TestConnections.JEDIS));
		try (Instance instance = new Instance(jedis, Instance.SETTINGS)) {
			assertThat(instance.request(10, this.charges)).isEqualTo(Tally.stored(10, 10));
			RedisServer dead = ClusterBuckets.master(this.cluster, this.charges[0]);
			dead.kill();
			Poll.until(() -> instance.request(1, this.charges).alone() == 1, () -> "not noticed");
			this.cluster.awaitMasterOtherThan(dead, ClusterBuckets.slot(ClusterBuckets.name(this.charges[0])));
			Poll.until(() -> instance.request(20, this.charges).stored() == 20, () -> "not over");
		}
		assertThat(new OutageLog(output).begun()).isOne();
	}

}
