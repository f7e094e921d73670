package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.StoreListener.CallOutcome;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the charges in some slots of a Redis Cluster if another slot rejects.
 */
class ClusterRefundTests extends RedisClusterTest {

	private static final long SECOND = 1_000_000;

	private static SimulatedTime time;

	private ObservedCalls calls;

	private RedisBucketStore store;

	private RedisBucketStore other;

	private final Charge first = ClusterBuckets.charge("tier", ClusterBuckets.affinityKey(0, 0), 1);

	private final Charge second = ClusterBuckets.charge("tier", ClusterBuckets.affinityKey(1, 0), 1);

	private final Charge third = ClusterBuckets.charge("tier", ClusterBuckets.affinityKey(2, 0), 1);

	@BeforeAll
	static void connect() {
		time = new SimulatedTime(ScriptClientFactory.create(ClusterBuckets.factory(cluster), TestConnections.TIMEOUT));
	}

	@AfterAll
	static void disconnect() {
		time.close();
	}

	@BeforeEach
	void empty() {
		this.calls = new ObservedCalls(time);
		this.store = store(this.calls, 0);
		this.other = store(time, 0);
		ClusterBuckets.empty(cluster);
		time.set(1_700_000_000 * SECOND);
	}

	@AfterEach
	void everyKeyExpires() {
		ClusterBuckets.assertEveryKeyExpires(cluster);
	}

	private static RedisBucketStore store(ScriptClient client, int cachedRejections) {
		RedisStoreSettings settings = Instance.settings(StoreFailurePolicy.DENY, cachedRejections);
		return new RedisBucketStore(client, SimulatedTime.SCRIPT, settings, new InMemoryBucketStore(Ticker.system(), 1),
				StoreListener.NONE, System::nanoTime);
	}

	@Test
	void rejectedRequestLeavesNoTraceInAnySlot() {
		Charge shadow = new Charge(new BucketKey("shadow", this.second.key().affinityKey()), this.second.limit(), 1,
				ChargeOptions.SHADOW);
		Charge wide = ClusterBuckets.charge("wide", this.first.key().affinityKey(), 10);
		assertThat(acquire(this.third, wide)).isTrue();
		List<String> before = stored(this.first, this.second, this.third, wide, shadow);
		time.set(time.now() + 3 * SECOND);
		assertThat(acquire(this.first, wide, this.second, shadow, this.third)).isFalse();
		assertThat(stored(this.first, this.second, this.third, wide, shadow)).isEqualTo(before);
		assertThat(ClusterBuckets.master(cluster, this.first).command("EXISTS", ClusterBuckets.name(this.first)))
			.isEqualTo("0");
	}

	@Test
	void rejectedRequestRefundsAndPeeksOnce() {
		acquire(this.third);
		List<String> seen = new ArrayList<>();
		this.calls.before((operation, key) -> seen.add(operation + " " + key));
		assertThat(acquire(this.first, this.second, this.third)).isFalse();
		String first = ClusterBuckets.name(this.first);
		String second = ClusterBuckets.name(this.second);
		String third = ClusterBuckets.name(this.third);
		assertThat(seen).containsExactly("acquire " + first, "acquire " + second, "acquire " + third,
				"restore " + first, "restore " + second, "peek " + third);
	}

	/**
	 * Only charges that leave a bucket without permits can cause the rejection of other
	 * requests.
	 */
	@Test
	void rejectedRequestDoesNotPeekIfItHasRejectedNoOther() {
		Charge wide = ClusterBuckets.charge("wide", this.first.key().affinityKey(), 10);
		acquire(this.third);
		List<String> seen = new ArrayList<>();
		this.calls.before((operation, key) -> seen.add(operation + " " + key));
		assertThat(acquire(wide, this.third)).isFalse();
		String name = ClusterBuckets.name(wide);
		assertThat(seen).containsExactly("acquire " + name, "acquire " + ClusterBuckets.name(this.third),
				"restore " + name);
	}

	/** Another request always acquires the last permit before the retry. */
	@Test
	void requestThatIsRetriedCountsOneRejection() {
		BanPolicy policy = new BanPolicy(2, 600 * SECOND, 600 * SECOND, 600 * SECOND);
		Charge banning = Instance.with(ChargeOptions.ENFORCED.with(policy), this.third);
		acquire(this.third);
		List<String> seen = new ArrayList<>();
		String name = ClusterBuckets.name(this.third);
		this.calls.before((operation, key) -> {
			if (key.equals(name)) {
				seen.add(operation);
				if (operation.equals("peek")) {
					this.other.refill(this.third.key(), new StoreFailureFlag());
				}
				else {
					this.other.acquire(List.of(this.third), new StoreFailureFlag());
				}
			}
		});
		AcquireResult rejected = this.store.acquire(List.of(this.first, banning), new StoreFailureFlag());
		assertThat(seen).containsExactly("acquire", "peek", "acquire", "peek", "acquire", "peek", "acquire");
		assertThat(rejected.decision(1)).isNotNull()
			.extracting(Decision::allowed, Decision::ban)
			.containsExactly(false, null);
		assertThat(this.store.acquire(List.of(banning), new StoreFailureFlag()).decision(0)).isNotNull()
			.extracting(Decision::ban)
			.isEqualTo(new Ban(600 * SECOND, 1, true));
	}

	@Test
	void permitsEarnedSinceTheRejectionCauseNoRetry() {
		acquire(this.third);
		List<String> seen = new ArrayList<>();
		this.calls.before((operation, key) -> {
			seen.add(operation);
			if (operation.equals("peek")) {
				time.set(time.now() + this.third.limit().timeToFull());
			}
		});
		assertThat(acquire(this.first, this.third)).isFalse();
		assertThat(seen).containsExactly("acquire", "acquire", "restore", "peek");
	}

	/** Every reply takes more than half of the timeout. */
	@Test
	void everyCallOfAnAcquisitionHasTheWholeTimeout() {
		acquire(this.third);
		this.calls.before((operation, key) -> {
			if (operation.equals("peek")) {
				this.other.reset(this.third.key(), new StoreFailureFlag());
			}
		});
		RedisStoreSettings settings = new RedisStoreSettings(Instance.SETTINGS.keyPrefix(), Duration.ofSeconds(60),
				StoreFailurePolicy.DENY, BigDecimal.ONE, 0);
		AtomicLong now = new AtomicLong();
		CallLog log = new CallLog();
		RedisBucketStore slow = new RedisBucketStore(new LateReplies(this.calls, Duration.ofSeconds(32), now),
				SimulatedTime.SCRIPT, settings, new InMemoryBucketStore(Ticker.system(), 1), log, now::get);
		AcquireResult result = slow.acquire(List.of(this.first, this.third), new StoreFailureFlag());
		assertThat(result.source()).isEqualTo(AcquireResult.Source.STORE);
		assertThat(result.admitted()).isTrue();
		assertThat(List.of(left(this.first), left(this.third))).containsOnly(0L);
		assertThat(log.next()).containsExactly(CallOutcome.ANSWERED);
	}

	@Test
	void failureInOneSlotRefundsTheConfirmedCharges() {
		this.calls.fail((operation, key) -> key.equals(ClusterBuckets.name(this.second)));
		AcquireResult result = this.store.acquire(List.of(this.first, this.second, this.third), new StoreFailureFlag());
		assertThat(result.source()).isEqualTo(AcquireResult.Source.NONE);
		assertThat(List.of(left(this.first), left(this.second), left(this.third))).containsOnly(1L);
	}

	@Test
	void failureInOneSlotSettlesTheCostsInTheOthers() {
		List<Charge> all = this.store
			.acquire(IntStream.range(0, 3)
				.mapToObj((master) -> Instance.cost(8,
						ClusterBuckets.charge("estimate", ClusterBuckets.affinityKey(master, 0), 10)))
				.toList(), new StoreFailureFlag())
			.charges();
		this.calls.fail((operation, key) -> key.equals(ClusterBuckets.name(all.get(1))));
		List<Settlement> settlements = all.stream().map((charge) -> new Settlement(charge, 6, 0)).toList();
		assertThat(this.store.settle(settlements, new StoreFailureFlag())).isEmpty();
		assertThat(all.stream().map(this::left)).containsExactly(4L, 2L, 4L);
		assertThat(this.store.status().lastFailure()).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "peek", "restore" })
	void rejectionIsFinalIfRedisFailsAfterwards(String operation) {
		acquire(this.third);
		this.calls.fail((failing, key) -> failing.equals(operation));
		assertThat(acquire(this.first, this.third)).isFalse();
		assertThat(left(this.first)).isEqualTo(operation.equals("peek") ? 1 : 0);
	}

	/**
	 * A bucket that was absent before the charge is deleted, which requires no memory. A
	 * state cannot be written.
	 */
	@Test
	void rejectionIsFinalIfAServerHasNoMemoryToRefund() {
		Charge used = ClusterBuckets.charge("used", this.first.key().affinityKey(), 10);
		acquire(this.third, used);
		RedisServer full = ClusterBuckets.master(cluster, this.first);
		try {
			this.calls.before((operation, key) -> {
				if (operation.equals("restore")) {
					full.command("CONFIG", "SET", "maxmemory", "1");
				}
			});
			assertThat(acquire(this.first, used, this.third)).isFalse();
		}
		finally {
			full.command("CONFIG", "SET", "maxmemory", "0");
		}
		assertThat(left(this.first)).isOne();
		assertThat(left(used)).as("not refunded").isEqualTo(8);
		assertThat(this.store.status().lastFailure()).isNotNull()
			.satisfies((failure) -> assertThat(failure.reason()).contains("OOM command not allowed"));
	}

	@Test
	void failureOfARetryIsNotARejection() {
		acquire(this.third);
		AtomicBoolean again = new AtomicBoolean();
		this.calls.before((operation, key) -> {
			if (operation.equals("peek")) {
				this.other.reset(this.third.key(), new StoreFailureFlag());
				again.set(true);
			}
		});
		this.calls.fail((operation, key) -> again.get() && operation.equals("acquire")
				&& key.equals(ClusterBuckets.name(this.third)));
		AcquireResult result = this.store.acquire(List.of(this.first, this.third), new StoreFailureFlag());
		assertThat(result.source()).isEqualTo(AcquireResult.Source.NONE);
		assertThat(List.of(left(this.first), left(this.third))).containsOnly(1L);
	}

	private boolean acquire(Charge... charges) {
		AcquireResult result = this.store.acquire(List.of(charges), new StoreFailureFlag());
		assertThat(result.source()).isEqualTo(AcquireResult.Source.STORE);
		return result.admitted();
	}

	private static List<String> stored(Charge... charges) {
		return List.of(charges).stream().map((charge) -> ClusterBuckets.stored(cluster, charge)).toList();
	}

	@Test
	void refundAfterOtherChargesIsExact() {
		acquire(this.third);
		Random random = new Random(5);
		for (int i = 0; i < 100; i++) {
			assertRefunded(i, random);
		}
	}

	/** Another client acquires or refunds before a rejected request refunds. */
	private void assertRefunded(int round, Random random) {
		TokenBucket ten = new TokenBucket(Rate.parse("1/s"), 10);
		Charge one = new Charge(new BucketKey("round-" + round, this.first.key().affinityKey()), ten, 1);
		long before = random.nextLong(6);
		long cost = 1 + random.nextLong(5);
		long reserved = random.nextLong(8);
		long taken = random.nextLong(6);
		acquire(Instance.cost(before, one));
		AtomicInteger times = new AtomicInteger();
		long[] admitted = { 0 };
		this.calls.before((operation, key) -> {
			if (operation.equals("restore")) {
				times.incrementAndGet();
				time.set(time.now() + reserved * SECOND);
				admitted[0] = this.other.acquire(List.of(Instance.cost(taken, one)), new StoreFailureFlag()).admitted()
						? taken : 0;
			}
		});
		assertThat(acquire(Instance.cost(cost, one), this.third)).isFalse();
		this.calls.before((operation, key) -> {
		});
		assertThat(times.get()).isOne();
		long fair = Math.min(10, 10 - before + reserved) - admitted[0];
		assertThat(left(one)).isEqualTo(fair);
	}

	private long left(Charge charge) {
		return this.other.peek(List.of(Instance.cost(0, charge))).decisions().get(0).remaining();
	}

	@Test
	void refundRemovesCachedRejections() {
		RedisBucketStore remembering = store(this.calls, 1000);
		acquire(this.third);
		this.calls.before((operation, key) -> {
			if (operation.equals("restore")) {
				assertThat(remembering.acquire(List.of(this.first), new StoreFailureFlag()).admitted()).isFalse();
			}
		});
		assertThat(remembering.acquire(List.of(this.first, this.third), new StoreFailureFlag()).admitted()).isFalse();
		assertThat(remembering.acquire(List.of(this.first), new StoreFailureFlag()).admitted()).isTrue();
	}

	/**
	 * Each request has the permit that the other request needs. One request ends first,
	 * and then the other one.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void oneOfTwoMutuallyBlockingRequestsIsAllowed(boolean lateOneEndsFirst) throws Exception {
		ObservedCalls early = new ObservedCalls(time);
		ObservedCalls late = new ObservedCalls(time);
		Mutual mutual = new Mutual(lateOneEndsFirst);
		early.before((operation, key) -> mutual.beforeEarly(operation, key.equals(ClusterBuckets.name(this.second))));
		late.before((operation, key) -> mutual.beforeLate(operation));
		List<Integer> admitted = Crowd.run(2, (member) -> {
			if (member == 0) {
				AcquireResult result = store(early, 0).acquire(List.of(this.first, this.second),
						new StoreFailureFlag());
				mutual.earlyHasEnded.countDown();
				return result.admitted() ? 1 : 0;
			}
			mutual.await(mutual.earlyHasFirst);
			AcquireResult result = store(late, 0).acquire(List.of(this.first, this.second), new StoreFailureFlag());
			mutual.lateHasEnded.countDown();
			return result.admitted() ? 1 : 0;
		});
		assertThat(admitted).isEqualTo(lateOneEndsFirst ? List.of(1, 0) : List.of(0, 1));
		assertThat(List.of(left(this.first), left(this.second))).containsOnly(0L);
	}

	/**
	 * Lets the early request acquire the first permit, and the late request the second.
	 */
	private static final class Mutual {

		private final CountDownLatch earlyHasFirst = new CountDownLatch(1);

		private final CountDownLatch lateHasSecond = new CountDownLatch(1);

		private final CountDownLatch earlyIsRejected = new CountDownLatch(1);

		private final CountDownLatch earlyHasEnded = new CountDownLatch(1);

		private final CountDownLatch lateHasEnded = new CountDownLatch(1);

		private final boolean lateOneEndsFirst;

		Mutual(boolean lateOneEndsFirst) {
			this.lateOneEndsFirst = lateOneEndsFirst;
		}

		private void beforeEarly(String operation, boolean second) {
			if (operation.equals("acquire") && second) {
				this.earlyHasFirst.countDown();
				await(this.lateHasSecond);
			}
			else if (operation.equals("restore") && this.earlyIsRejected.getCount() > 0) {
				this.earlyIsRejected.countDown();
				await(this.lateOneEndsFirst ? this.lateHasEnded : this.earlyIsRejected);
			}
		}

		private void beforeLate(String operation) {
			if (operation.equals("restore") && this.lateHasSecond.getCount() > 0) {
				this.lateHasSecond.countDown();
				await(this.lateOneEndsFirst ? this.earlyIsRejected : this.earlyHasEnded);
			}
		}

		private void await(CountDownLatch latch) {
			try {
				assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	@Test
	void slotThatMovesBeforeARetryKeepsNoCharge() {
		List<Charge> neighbours = IntStream.range(0, 2)
			.mapToObj((i) -> ClusterBuckets.charge("neighbour-" + i, this.first.key().affinityKey(), 10))
			.toList();
		neighbours.forEach(this::acquire);
		acquire(this.third);
		String name = ClusterBuckets.name(neighbours.get(0));
		int slot = ClusterBuckets.slot(name);
		RedisServer from = cluster.masterOf(slot);
		RedisServer to = ClusterBuckets.master(cluster, this.second);
		AtomicInteger restored = new AtomicInteger();
		this.calls.before((operation, key) -> {
			if (operation.equals("restore") && restored.getAndIncrement() == 0) {
				cluster.beginMove(slot, to);
				cluster.moveKey(name, to);
				this.other.reset(this.third.key(), new StoreFailureFlag());
			}
		});
		assertThat(acquire(neighbours.get(0), neighbours.get(1), this.third)).isFalse();
		cluster.moveKeys(slot, to);
		cluster.finishMove(slot, to);
		assertThat(restored.get()).isEqualTo(neighbours.size());
		assertThat(left(this.third)).isOne();
		assertThat(neighbours).allSatisfy((charge) -> assertThat(left(charge)).isEqualTo(9));
		cluster.moveSlot(slot, from);
		assertThat(neighbours).allSatisfy((charge) -> assertThat(left(charge)).isEqualTo(9));
	}

}
