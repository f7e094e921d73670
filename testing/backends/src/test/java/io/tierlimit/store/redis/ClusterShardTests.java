package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.shard.LimitDivision;
import io.tierlimit.store.shard.ShardedBuckets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a bucket whose shards are on all masters of a Redis Cluster.
 */
class ClusterShardTests extends RedisClusterTest {

	private static final int SHARDS = 6;

	private static final int THREADS = 4;

	/** A limit that does not refill during a test. */
	private static final TokenBucket LIMIT = new TokenBucket(new Rate(600, Duration.ofDays(365)), 600);

	private static final BucketKey KEY = new BucketKey("all", "").spread(SHARDS);

	private final LimitDivision division = LimitDivision.of(LIMIT, SHARDS, 0);

	@BeforeEach
	void empty() {
		ClusterBuckets.empty(cluster);
	}

	/**
	 * Two instances charge a shard together with the bucket of a user, which is in
	 * another slot and rejects some requests.
	 */
	@Test
	void consumedPermitsAreThoseAdmitted() throws Exception {
		AtomicInteger admitted = new AtomicInteger();
		AtomicLong refunded = new AtomicLong();
		try (Instance one = ClusterBuckets.denyingInstance(cluster);
				Instance two = ClusterBuckets.denyingInstance(cluster)) {
			List<ShardedBuckets> instances = List.of(sharded(one), sharded(two));
			Crowd.run(THREADS, (member) -> {
				ShardedBuckets buckets = instances.get(member % 2);
				Random random = new Random(member);
				for (int i = 0; i < 250; i++) {
					Charge user = ClusterBuckets.charge("users", ClusterBuckets.affinityKey(random.nextInt(3), 0), 100);
					int cost = (random.nextInt(20) == 0) ? 110 : 1 + random.nextInt(2);
					AcquireResult result = buckets.acquire(List.of(new Charge(KEY, LIMIT, cost), user),
							new StoreFailureFlag());
					assertThat(result.source()).isEqualTo(Source.STORE);
					if (result.admitted() && random.nextInt(4) == 0) {
						buckets.refund(result.charges(), new StoreFailureFlag());
						refunded.addAndGet(cost);
					}
					else if (result.admitted()) {
						admitted.addAndGet(cost);
					}
				}
				return 0;
			});
			assertThat(admitted.get()).isPositive();
			assertThat(refunded.get()).isPositive();
			assertThat(left(one)).isEqualTo(LIMIT.burst() - admitted.get());
		}
	}

	@Test
	void deadMasterNeverAllowsMore() throws Exception {
		Map<Source, AtomicInteger> admitted = new EnumMap<>(Source.class);
		Stream.of(Source.values()).forEach((source) -> admitted.put(source, new AtomicInteger()));
		AtomicInteger failed = new AtomicInteger();
		try (RedisCluster mortal = RedisCluster.start("--cluster-require-full-coverage", "no");
				Instance instance = new Instance(ClusterBuckets.factory(mortal), Instance.SETTINGS).connected()) {
			RedisServer dying = ClusterBuckets.master(mortal, shard(0));
			int index = mortal.nodes().indexOf(dying);
			ShardedBuckets buckets = sharded(instance);
			Crowd.run(THREADS, (member) -> {
				for (int i = 0; i < 150 || failed.get() == 0; i++) {
					if (member == 0 && i == 50) {
						mortal.nodes().get(index + ClusterBuckets.MASTERS).kill();
						dying.kill();
					}
					failed.addAndGet((request(buckets, admitted) != Source.STORE) ? 1 : 0);
				}
				return 0;
			});
			List<Charge> living = IntStream.range(0, SHARDS)
				.mapToObj(this::shard)
				.filter((shard) -> !ClusterBuckets.isOn(index, ClusterBuckets.name(shard)))
				.toList();
			assertThat(living).hasSize(4);
			// The other masters still decide, and allow what their shards have.
			Poll.until(() -> {
				request(buckets, admitted);
				return living.stream().allMatch((shard) -> instance.left(shard) == 0);
			}, admitted::toString);
		}
		// Each of the other masters has granted its part, and the instance at most its
		// share.
		assertThat(count(admitted, Source.STORE)).isBetween((int) LIMIT.burst() * 4 / SHARDS, (int) LIMIT.burst());
		assertThat(count(admitted, Source.FALLBACK)).isBetween(0, (int) LIMIT.burst());
		assertThat(count(admitted, Source.NONE)).isZero();
	}

	private static int count(Map<Source, AtomicInteger> admitted, Source source) {
		return Objects.requireNonNull(admitted.get(source)).get();
	}

	/** Makes a request, and returns where it was decided. */
	private static Source request(ShardedBuckets buckets, Map<Source, AtomicInteger> admitted) {
		AcquireResult result = buckets.acquire(List.of(new Charge(KEY, LIMIT, 1)), new StoreFailureFlag());
		Objects.requireNonNull(admitted.get(result.source())).addAndGet(result.admitted() ? 1 : 0);
		return result.source();
	}

	/** A charge on one shard. */
	private Charge shard(int index) {
		return new Charge(KEY.shard(index), this.division.shards().get(index), 1);
	}

	private static ShardedBuckets sharded(Instance instance) {
		return new ShardedBuckets(instance.store, Ticker.system());
	}

	private long left(Instance instance) {
		return sharded(instance).peek(List.of(new Charge(KEY, LIMIT, 0))).decisions().get(0).remaining();
	}

}
