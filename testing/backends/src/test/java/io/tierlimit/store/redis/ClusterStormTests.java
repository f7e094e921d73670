package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster with many concurrent requests for
 * the same slots.
 */
class ClusterStormTests extends RedisClusterTest {

	private static final int THREADS = 4;

	private final AdmittedCosts admitted = new AdmittedCosts();

	@BeforeEach
	void empty() {
		ClusterBuckets.empty(cluster);
	}

	@AfterEach
	void everyKeyExpires() {
		ClusterBuckets.assertEveryKeyExpires(cluster);
	}

	@Test
	void consumedPermitsAreThoseAdmitted() throws Exception {
		try (Instance instance = ClusterBuckets.denyingInstance(cluster)) {
			storm(instance.store, 800);
		}
	}

	@Test
	void consumedPermitsAreThoseAdmittedOverJedis() throws Exception {
		try (Instance instance = new Instance(TestConnections.jedis(cluster), ClusterBuckets.DENYING)) {
			storm(instance.store, 250);
		}
	}

	/** Random requests, each over one to four of twelve buckets in six slots. */
	private void storm(RedisBucketStore store, int requests) throws Exception {
		List<Charge> buckets = IntStream.range(0, 12)
			.mapToObj((i) -> ClusterBuckets.charge((i < 6) ? "narrow" : "wide",
					ClusterBuckets.affinityKey(i % 3, i / 3 % 2), requests / ((i < 6) ? 4 : 2)))
			.toList();
		List<Integer> passed = Crowd.run(THREADS, (member) -> {
			Random random = new Random(member);
			int count = 0;
			for (int i = 0; i < requests; i++) {
				count += request(store, random(buckets, random)) ? 1 : 0;
			}
			return count;
		});
		assertThat(passed.stream().mapToInt(Integer::intValue).sum()).isBetween(requests / 2, THREADS * requests / 2);
		assertThat(buckets).allSatisfy(
				(bucket) -> assertThat(left(store, bucket)).isEqualTo(this.admitted.leaves(bucket)).isNotNegative());
	}

	private static List<Charge> random(List<Charge> buckets, Random random) {
		List<Charge> shuffled = new ArrayList<>(buckets);
		Collections.shuffle(shuffled, random);
		return shuffled.subList(0, 1 + random.nextInt(4))
			.stream()
			.map((bucket) -> Instance.cost(1 + random.nextInt(3), bucket))
			.toList();
	}

	private boolean request(RedisBucketStore store, List<Charge> charges) {
		AcquireResult result = store.acquire(charges, new StoreFailureFlag());
		assertThat(result.source()).isEqualTo(Source.STORE);
		if (result.admitted()) {
			this.admitted.add(charges);
		}
		return result.admitted();
	}

	private static long left(RedisBucketStore store, Charge bucket) {
		return store.peek(List.of(Instance.cost(0, bucket))).decisions().get(0).remaining();
	}

	@Test
	void requestsForTheSameTwoPermitsDoNotStarveEachOther() throws Exception {
		int rounds = 150;
		CyclicBarrier start = new CyclicBarrier(2);
		List<AtomicInteger> passed = IntStream.range(0, rounds).mapToObj((round) -> new AtomicInteger()).toList();
		AtomicInteger tries = new AtomicInteger();
		try (Instance instance = ClusterBuckets.denyingInstance(cluster)) {
			Crowd.run(2, (member) -> {
				for (int round = 0; round < rounds; round++) {
					Charge first = ClusterBuckets.charge("round-" + round, ClusterBuckets.affinityKey(0, 0), 1);
					Charge second = ClusterBuckets.charge("round-" + round, ClusterBuckets.affinityKey(1, 0), 1);
					await(start);
					for (int i = 0; i < 50 && passed.get(round).get() == 0; i++) {
						tries.incrementAndGet();
						passed.get(round).addAndGet(instance.request(1, first, second).admitted());
					}
					await(start);
					assertThat(instance.request(1, first, second)).isEqualTo(Tally.stored(1, 0));
				}
				return 0;
			});
		}
		assertThat(passed).extracting(AtomicInteger::get).containsOnly(1);
		assertThat(tries.get()).isLessThan(5 * rounds);
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void missingScriptOnOneNodeIsSentAgain() {
		List<Charge> charges = IntStream.range(0, 3)
			.mapToObj((master) -> ClusterBuckets.charge("script", ClusterBuckets.affinityKey(master, 0), 100))
			.toList();
		try (Instance instance = ClusterBuckets.denyingInstance(cluster)) {
			instance.request(1, charges.toArray(Charge[]::new));
			ClusterBuckets.resetStatistics(cluster);
			RedisServer forgetful = ClusterBuckets.master(cluster, charges.get(1));
			forgetful.command("SCRIPT", "FLUSH");
			assertThat(instance.request(10, charges.toArray(Charge[]::new))).isEqualTo(Tally.stored(10, 10));
			assertThat(charges).allSatisfy((charge) -> assertThat(instance.left(charge)).isEqualTo(89));
			assertThat(ClusterBuckets.count(List.of(forgetful), "eval"::equals)).isOne();
			assertThat(ClusterBuckets.count(cluster.nodes(), "eval"::equals)).isOne();
		}
	}

}
