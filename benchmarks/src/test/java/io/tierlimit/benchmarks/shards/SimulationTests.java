package io.tierlimit.benchmarks.shards;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Limit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SimulationTests {

	private static final Duration BURST = Duration.ofMillis(50);

	private static final Spreading ONE_BUCKET = new Spreading(1, 2);

	private static final Spreading SHARDS = new Spreading(16, 2);

	private static final Spreading ONE_CHOICE = new Spreading(16, 1);

	private static Outcome run(Spreading spreading, double load) {
		return new Simulation(ShardSimulations.tokenBucket(BURST), spreading, new Traffic(4, true), load).run(1);
	}

	@Test
	void repeatsARunWithTheSameSeed() {
		assertThat(run(SHARDS, 1.2).admitted()).isEqualTo(run(SHARDS, 1.2).admitted());
	}

	@Test
	void sendsTheSameRequestsToEverySpreading() {
		assertThat(run(SHARDS, 1.2).received()).isEqualTo(run(ONE_BUCKET, 1.2).received())
			.isEqualTo(run(ONE_CHOICE, 1.2).received());
	}

	@Test
	void leavesMoreUnusedWithFewerChoices() {
		assertThat(run(ONE_BUCKET, 1.05).unused()).isLessThan(run(SHARDS, 1.05).unused());
		assertThat(run(SHARDS, 1.05).unused()).isLessThan(run(ONE_CHOICE, 1.05).unused());
	}

	@Test
	void neverAdmitsMoreThanTheLimitAndItsBurst() {
		double burst = 100.0 * BURST.toMillis() / Duration.ofSeconds(Simulation.SECONDS).toMillis();
		for (Limit limit : List.of(ShardSimulations.tokenBucket(BURST), ShardSimulations.fixedWindow(BURST))) {
			for (Spreading spreading : List.of(ONE_BUCKET, SHARDS, ONE_CHOICE)) {
				Outcome outcome = new Simulation(limit, spreading, new Traffic(4, false), 2).run(1);
				assertThat(outcome.unused()).isBetween(-burst, 5.0);
			}
		}
	}

}
