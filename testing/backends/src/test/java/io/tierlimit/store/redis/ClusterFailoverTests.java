package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.tierlimit.junit.Poll;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} on a Redis Cluster that loses masters under load.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class ClusterFailoverTests {

	private static final int THREADS = 4;

	private static final int CAPACITY = 150;

	/** Lettuce waits for a frozen server this long before it uses the view of others. */
	private static final RedisStoreSettings SETTINGS = new RedisStoreSettings("tierlimit", Duration.ofSeconds(2),
			StoreFailurePolicy.LOCAL, BigDecimal.ONE, 0);

	/** The requests that may be lost with a replaced connection. */
	private static final int FEW = 20;

	private final List<Charge> charges = IntStream.range(0, ClusterBuckets.MASTERS)
		.mapToObj((master) -> ClusterBuckets.charge("load", ClusterBuckets.affinityKey(master, 0), CAPACITY))
		.toList();

	private final AtomicReferenceArray<Tally> tallies = new AtomicReferenceArray<>(ClusterBuckets.MASTERS);

	/** The requests that the bucket admitted whose master is lost. */
	private final AtomicInteger admitted = new AtomicInteger();

	private RedisCluster cluster;

	@BeforeEach
	void start() {
		this.cluster = RedisCluster.start("--cluster-require-full-coverage", "no");
		startCounting();
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void onlyBucketsOfADeadMasterAreDecidedLocallyUntilFailover(boolean killed, CapturedOutput output)
			throws Exception {
		try (Instance instance = Instance.on(ClusterBuckets.factory(this.cluster), SETTINGS)) {
			List<RedisServer> healthy = this.charges.subList(1, 3)
				.stream()
				.map((charge) -> ClusterBuckets.master(this.cluster, charge))
				.toList();
			load(instance, (dying) -> {
				awaitStored(0, CAPACITY);
				healthy.forEach(RedisServer::resetStatistics);
				startCounting();
				instance.leaveUnanswered((call) -> ClusterBuckets.isOn(0, call), killed ? dying::kill : dying::stop);
				awaitAlone(1000);
				// Requests to the other masters were decided as fast as requests to the
				// first master.
				assertThat(tally(1).and(tally(2)).stored()).isGreaterThan(1000);
				int slot = ClusterBuckets.slot(ClusterBuckets.name(this.charges.get(0)));
				instance.answerAgain(() -> this.cluster.awaitMasterOtherThan(dying, slot));
				awaitStored(0, tally(0).stored() + 100);
			});
			assertThat(tally(1).alone() + tally(2).alone()).isLessThan(FEW);
			int asked = tally(1).requests() + tally(2).requests();
			// No request is repeated. Some requests share a call while they wait for
			// other calls.
			assertThat(ClusterBuckets.calls(healthy)).isBetween(1L, (long) asked + FEW);
			// The burst can be admitted once in Redis and once by the instance alone.
			// Charges that were not replicated can be admitted again.
			assertThat(this.admitted.get()).isBetween(2 * CAPACITY - FEW, 3 * CAPACITY);
			new OutageLog(output).awaitOneOutage(instance);
			assertThat(instance.request(10, this.charges.toArray(Charge[]::new)).stored()).isEqualTo(10);
		}
		ClusterBuckets.assertEveryKeyExpires(this.cluster);
	}

	/** Makes requests to all masters while the first of them has a fault. */
	private void load(Instance instance, Consumer<RedisServer> fault) throws Exception {
		RedisServer first = ClusterBuckets.master(this.cluster, this.charges.get(0));
		AtomicBoolean over = new AtomicBoolean();
		Crowd.run(THREADS + 1, (member) -> {
			if (member == THREADS) {
				try {
					fault.accept(first);
				}
				finally {
					over.set(true);
				}
				return 0;
			}
			for (int i = member; !over.get(); i++) {
				int master = i % ClusterBuckets.MASTERS;
				Tally tally = Tally.of(instance.acquire(this.charges.get(master)));
				this.tallies.accumulateAndGet(master, tally, Tally::and);
				this.admitted.addAndGet((master == 0) ? tally.admitted() : 0);
			}
			return 0;
		});
	}

	private void awaitAlone(int requests) {
		Poll.until(() -> tally(0).alone() > requests, this.tallies::toString);
	}

	private void awaitStored(int master, int requests) {
		Poll.until(() -> tally(master).stored() > requests, this.tallies::toString);
	}

	private Tally tally(int master) {
		return this.tallies.get(master);
	}

	private void startCounting() {
		for (int i = 0; i < ClusterBuckets.MASTERS; i++) {
			this.tallies.set(i, Tally.NONE);
		}
	}

}
