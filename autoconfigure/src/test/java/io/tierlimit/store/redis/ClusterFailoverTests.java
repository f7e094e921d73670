package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.tierlimit.redis.Poll;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
class ClusterFailoverTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final int THREADS = 4;

	/** What a machine that does other things too may fail to answer in time. */
	private static final int FEW = 20;

	private final List<Charge> charges = IntStream.range(0, ClusterBuckets.MASTERS)
		.mapToObj((master) -> ClusterBuckets.charge("load", ClusterBuckets.owner(master, 0), 1000))
		.toList();

	private final AtomicReferenceArray<Tally> tallies = new AtomicReferenceArray<>(ClusterBuckets.MASTERS);

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
	void onlyWhatADeadMasterHadIsDecidedAloneUntilItsReplicaTakesOver(boolean killed, CapturedOutput output)
			throws Exception {
		try (Instance instance = ClusterBuckets.instance(this.cluster)) {
			load(instance, (dead) -> {
				awaitStored(0, 200);
				awaitStored(1, 200);
				startCounting();
				long start = System.nanoTime();
				if (killed) {
					dead.kill();
				}
				else {
					dead.stop();
				}
				Poll.until(PATIENCE, () -> tally(0).alone() > 100, this.tallies::toString);
				Tally during = tally(1).and(tally(2));
				System.out.println("XX outage noticed after " + ms(start) + this.tallies);
				this.cluster.awaitMasterOtherThan(dead, ClusterBuckets.slot(ClusterBuckets.name(this.charges.get(0))));
				System.out.println("XX failover after " + ms(start) + this.tallies);
				int before = tally(0).stored();
				Poll.until(PATIENCE, () -> tally(0).stored() > before + 100, this.tallies::toString);
				System.out.println("XX recovered after " + ms(start) + this.tallies);
				assertThat(during.stored()).isPositive();
			});
			System.out.println("XX end " + this.tallies);
			assertThat(tally(1).alone()).isLessThan(FEW);
			assertThat(tally(2).alone()).isLessThan(FEW);
			new OutageLog(output).awaitOneOutage(instance);
		}
	}

	private static String ms(long start) {
		return (System.nanoTime() - start) / 1_000_000 + " ms ";
	}

	/** Makes requests to all masters while something is done to the first of them. */
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
			}
			return 0;
		});
	}

	private void awaitStored(int master, int requests) {
		Poll.until(PATIENCE, () -> tally(master).stored() > requests, this.tallies::toString);
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
