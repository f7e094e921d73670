package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Overrun;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster that moves the slot of buckets
 * which are charged together.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClusterSlotMoveTests extends RedisClusterTest {

	private static final int THREADS = 4;

	/** All buckets except for the last one are in the slot that moves. */
	private final List<Charge> buckets = new ArrayList<>();

	private final AdmittedCosts admitted = new AdmittedCosts();

	private final AtomicInteger asked = new AtomicInteger();

	private int slot;

	private RedisServer from;

	private RedisServer to;

	@BeforeEach
	void createBuckets() {
		String affinityKey = ClusterBuckets.affinityKey(0, 0);
		IntStream.range(0, 8)
			.mapToObj((i) -> ClusterBuckets.charge("tier-" + i, affinityKey, (i < 4) ? 100 : 10_000))
			.forEach(this.buckets::add);
		this.buckets.add(ClusterBuckets.charge("tier-8", ClusterBuckets.affinityKey(2, 0), 10_000));
		this.slot = ClusterBuckets.slot(affinityKey);
		this.from = cluster.masterOf(this.slot);
		this.to = ClusterBuckets.master(cluster, ClusterBuckets.charge("any", ClusterBuckets.affinityKey(1, 0), 1));
	}

	@AfterEach
	void moveBack() {
		ClusterBuckets.assertEveryKeyExpires(cluster);
		cluster.moveSlot(this.slot, this.from);
		ClusterBuckets.empty(cluster);
	}

	@Test
	void everyStageOfAMoveIsDecidedInRedis() {
		try (Instance instance = ClusterBuckets.denyingInstance(cluster)) {
			Charge[] some = this.buckets.subList(4, 9).toArray(Charge[]::new);
			Charge[] others = this.buckets.subList(2, 7).toArray(Charge[]::new);
			assertThat(instance.request(3, some)).isEqualTo(Tally.stored(3, 3));
			cluster.beginMove(this.slot, this.to);
			assertThat(instance.request(3, some)).isEqualTo(Tally.stored(3, 3));
			// Two of these buckets are not stored yet.
			assertThat(instance.request(3, others)).isEqualTo(Tally.stored(3, 3));
			cluster.moveKey(ClusterBuckets.name(some[0]), this.to);
			assertThat(instance.request(3, some)).isEqualTo(Tally.stored(3, 3));
			assertThat(instance.request(3, others)).isEqualTo(Tally.stored(3, 3));
			// A bucket on the old node rejects the request, so charges on both nodes are
			// refunded.
			assertThat(instance.request(1, Instance.cost(5, some[0]), Instance.cost(5, others[0]),
					Instance.cost(10_000, some[1])))
				.isEqualTo(Tally.stored(1, 0));
			cluster.moveKeys(this.slot, this.to);
			assertThat(instance.request(3, some)).isEqualTo(Tally.stored(3, 3));
			cluster.finishMove(this.slot, this.to);
			assertThat(instance.request(3, some)).isEqualTo(Tally.stored(3, 3));
			assertThat(this.buckets).extracting(instance::left)
				.containsExactly(100L, 100L, 94L, 94L, 9979L, 9979L, 9979L, 9985L, 9985L);
		}
	}

	@Test
	void heldPermitsAreRenewedAndReleasedInEveryStageOfAMove(CapturedOutput output) {
		try (Instance instance = ClusterBuckets.denyingInstance(cluster)) {
			List<Charge> held = this.buckets.stream()
				.map((bucket) -> new Charge(bucket.key(), Concurrency.of(3, Duration.ofHours(1)), 2))
				.toList();
			AcquireResult first = instance.acquire(held.toArray(Charge[]::new));
			instance.store.holders().renew();
			cluster.beginMove(this.slot, this.to);
			cluster.moveKey(ClusterBuckets.name(held.get(0)), this.to);
			instance.store.holders().renew();
			instance.store.refund(List.of(first.charge(0), first.charge(1), first.charge(8)), new StoreFailureFlag());
			assertThat(held).extracting(instance::left).containsExactly(3L, 3L, 1L, 1L, 1L, 1L, 1L, 1L, 3L);
			assertThat(instance.request(1, held.toArray(Charge[]::new))).isEqualTo(Tally.stored(1, 0));
			cluster.moveKeys(this.slot, this.to);
			cluster.finishMove(this.slot, this.to);
			instance.store.holders().renew();
			instance.store.refund(first.charges(), new StoreFailureFlag());
			assertThat(held).extracting(instance::left).containsOnly(3L);
			assertThat(instance.calls.lostHolders()).isZero();
			assertThat(output).doesNotContain("were not renewed in Redis").doesNotContain("Redis cannot be reached");
		}
	}

	@Test
	void costsAreSettledInEveryStageOfAMove(CapturedOutput output) {
		try (Instance instance = ClusterBuckets.denyingInstance(cluster)) {
			List<Charge> estimated = instance
				.acquire(this.buckets.stream().map((bucket) -> Instance.cost(20, bucket)).toArray(Charge[]::new))
				.charges();
			settle(instance, estimated, 15, 22);
			cluster.beginMove(this.slot, this.to);
			settle(instance, estimated, 16, 24);
			cluster.moveKey(ClusterBuckets.name(this.buckets.get(0)), this.to);
			cluster.moveKey(ClusterBuckets.name(this.buckets.get(1)), this.to);
			settle(instance, estimated, 17, 26);
			cluster.moveKeys(this.slot, this.to);
			settle(instance, estimated, 18, 28);
			cluster.finishMove(this.slot, this.to);
			settle(instance, estimated, 19, 30);
			assertThat(this.buckets).extracting(instance::left)
				.containsExactly(95L, 50L, 95L, 50L, 9995L, 9950L, 9995L, 9950L, 9995L);
			assertThat(output).doesNotContain("Redis cannot be reached");
		}
	}

	/** Settles a lower cost of every other charge, and a higher cost of the others. */
	private static void settle(Instance instance, List<Charge> estimated, long lower, long higher) {
		List<Settlement> settlements = IntStream.range(0, estimated.size())
			.mapToObj((i) -> new Settlement(estimated.get(i), (i % 2 == 0) ? lower : higher, 0))
			.toList();
		assertThat(instance.store.settle(settlements, new StoreFailureFlag())).hasSize(estimated.size())
			.containsOnly(Overrun.NONE);
	}

	@Test
	void slotMoveUnderLoadLosesAndAddsNoPermits(CapturedOutput output) throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		try (Instance instance = ClusterBuckets.denyingInstance(cluster)) {
			Crowd.run(THREADS + 1, (member) -> {
				if (member < THREADS) {
					Random random = new Random(member);
					while (!over.get()) {
						request(instance, random);
					}
					return 0;
				}
				try {
					moveUnderLoad();
				}
				finally {
					over.set(true);
				}
				return 0;
			});
			assertThat(instance.all()).isEqualTo(Tally.stored(instance.all().requests(), instance.all().admitted()));
			assertThat(this.buckets)
				.allSatisfy((bucket) -> assertThat(instance.left(bucket)).isEqualTo(this.admitted.leaves(bucket)));
			assertThat(this.buckets.subList(0, 4)).anySatisfy((bucket) -> assertThat(instance.left(bucket)).isZero());
			assertThat(new OutageLog(output).begun()).isZero();
		}
	}

	private void moveUnderLoad() {
		awaitRequests();
		cluster.beginMove(this.slot, this.to);
		awaitRequests();
		for (Charge bucket : this.buckets.subList(2, 6)) {
			cluster.moveKey(ClusterBuckets.name(bucket), this.to);
			awaitRequests();
		}
		cluster.moveKeys(this.slot, this.to);
		awaitRequests();
		cluster.finishMove(this.slot, this.to);
		awaitRequests();
	}

	private void awaitRequests() {
		int before = this.asked.get();
		Poll.until(() -> this.asked.get() > before + 100, this.asked::toString);
	}

	private void request(Instance instance, Random random) {
		List<Charge> shuffled = new ArrayList<>(this.buckets);
		Collections.shuffle(shuffled, random);
		List<Charge> charges = shuffled.subList(0, 1 + random.nextInt(4));
		if (instance.acquire(charges.toArray(Charge[]::new)).admitted()) {
			this.admitted.add(charges);
		}
		this.asked.incrementAndGet();
	}

}
