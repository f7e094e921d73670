package io.tierlimit.store.redis;

import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.redis.RedisCluster;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.StoreBudget;
import io.tierlimit.spi.Ticker;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.StoreListener;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for operations of {@link RedisBucketStore} other than acquire, with buckets on
 * all masters of a Redis Cluster.
 */
@Tag("slow")
class ClusterOperationsTests {

	private static RedisCluster cluster;

	private final List<Charge> tier = IntStream.range(0, 100)
		.mapToObj((i) -> ClusterBuckets.charge("tier", "owner-" + i, 10))
		.toList();

	private final Charge other = ClusterBuckets.charge("tier2", "owner-0", 10);

	private Instance instance;

	@BeforeAll
	static void start() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@BeforeEach
	void consumeTwo() {
		ClusterBuckets.empty(cluster);
		this.instance = ClusterBuckets.denyingInstance(cluster);
		this.tier.forEach((charge) -> acquire(2, charge));
		acquire(2, this.other);
	}

	@AfterEach
	void everyKeyExpires() {
		this.instance.close();
		ClusterBuckets.assertEveryKeyExpires(cluster);
	}

	private void acquire(long cost, Charge charge) {
		assertThat(this.instance.request(1, ClusterBuckets.costing(cost, charge))).isEqualTo(Tally.stored(1, 1));
	}

	@Test
	void peeksAtAllSlotsInParallel() {
		List<Charge> charges = List.of(this.tier.get(0), this.tier.get(1), this.tier.get(2), this.tier.get(3),
				ClusterBuckets.costing(9, this.other));
		assertThat(this.instance.store.peek(charges).decisions()).extracting((decision) -> decision.remaining())
			.containsExactly(7L, 7L, 7L, 7L, 8L);
		assertThat(this.instance.left(this.tier.get(0))).isEqualTo(8);
	}

	@Test
	void refundsInAllSlots() {
		this.instance.store.refund(this.tier, new StoreBudget());
		assertThat(this.tier).extracting(this.instance::left).containsOnly(9L);
		this.instance.store.refund(this.tier.stream().map((charge) -> ClusterBuckets.costing(100, charge)).toList(),
				new StoreBudget());
		assertThat(this.tier).extracting(this.instance::left).containsOnly(10L);
		assertThat(this.instance.left(this.other)).isEqualTo(8);
	}

	@Test
	void resetsOneBucket() {
		for (int i = 0; i < 3; i++) {
			BucketKey key = this.tier.get(i).key();
			assertThat(this.instance.store.reset(key, new StoreBudget())).isTrue();
		}
		assertThat(this.tier.subList(0, 6)).extracting(this.instance::left).containsExactly(10L, 10L, 10L, 8L, 8L, 8L);
	}

	@Test
	void resetsAllBucketsOfARuleOnAllMasters() {
		assertThat(this.instance.store.resetAll("tier")).isTrue();
		assertThat(this.tier).extracting(this.instance::left).containsOnly(10L);
		assertThat(this.instance.left(this.other)).isEqualTo(8);
	}

	@Test
	void resetsAllBucketsOfARuleOnAllMastersByJedis() {
		JedisConnectionFactory jedis = TestConnections.jedis(cluster);
		try (RedisBucketStore store = new RedisBucketStore(jedis, Instance.SETTINGS,
				new InMemoryBucketStore(Ticker.system(), 10), StoreListener.NONE)) {
			assertThat(store.resetAll("tier")).isTrue();
			assertThat(store.peek(List.of(this.tier.get(0), this.tier.get(1), this.tier.get(2))).decisions())
				.extracting((decision) -> decision.remaining())
				.containsOnly(9L);
		}
		finally {
			jedis.destroy();
		}
		assertThat(this.tier).extracting(this.instance::left).containsOnly(10L);
		assertThat(this.instance.left(this.other)).isEqualTo(8);
	}

}
