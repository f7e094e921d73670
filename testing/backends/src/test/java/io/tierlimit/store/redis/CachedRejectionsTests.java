package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} with cached rejections.
 */
class CachedRejectionsTests extends RedisServerTest {

	private static final int THREADS = 4;

	private static final int SECONDS = 3;

	private static final RedisStoreSettings REMEMBERING = Instance.settings(StoreFailurePolicy.LOCAL, 1000);

	private final Charge charge = Instance.ten("remembered");

	private final Charge other = Instance.ten("other");

	private Instance instance;

	@BeforeEach
	void start() {
		this.instance = Instance.simulated(this.server.port(), REMEMBERING);
	}

	@AfterEach
	void stop() {
		this.instance.close();
	}

	@Test
	void exhaustedKeyUnderLoadCostsAFewCallsPerSecond() throws Exception {
		this.instance.request(11, this.charge);
		this.server.resetStatistics();
		for (int second = 0; second < SECONDS; second++) {
			Crowd.run(THREADS, (member) -> this.instance.request(1000, this.charge, this.other).admitted());
			this.instance.nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
			Crowd.run(THREADS, (member) -> this.instance.request(1000, this.charge).admitted());
		}
		int requests = 11 + 2 * SECONDS * THREADS * 1000;
		assertThat(this.instance.all()).isEqualTo(Tally.stored(requests, 10));
		// One request calls Redis for all requests, or several requests call that arrive
		// before the first reply.
		assertThat(calls()).isBetween((long) SECONDS, (long) SECONDS * THREADS);
		assertThat(this.instance.left(this.other)).isEqualTo(10);
	}

	@Test
	void cachedRejectionReturnsTheDecision() {
		this.instance.request(11, this.charge);
		this.server.resetStatistics();
		AcquireResult result = this.instance.acquire(this.other, this.charge);
		assertThat(calls()).isZero();
		assertThat(this.instance.calls.cachedRejections()).isEqualTo(1);
		assertThat(result.admitted()).isFalse();
		assertThat(result.decisions()).first().isNull();
		assertThat(result.decisions()).last().matches((decision) -> !decision.allowed());
	}

	@Test
	void rejectionsAreCachedOnceTheBucketIsBanned() {
		BanPolicy policy = new BanPolicy(20, 600_000_000, 600_000_000, 600_000_000);
		Charge banning = Instance.with(ChargeOptions.ENFORCED.with(policy), this.charge);
		this.server.resetStatistics();
		assertThat(this.instance.request(30, banning)).isEqualTo(Tally.stored(30, 10));
		assertThat(calls()).as("each rejection counts").isEqualTo(30);
		assertThat(this.instance.request(1000, banning)).isEqualTo(Tally.stored(1000, 0));
		assertThat(calls()).isEqualTo(31);
		assertThat(this.instance.acquire(banning).decision(0)).isNotNull()
			.extracting(Decision::ban)
			.isNotNull()
			.extracting(Ban::ticks, InstanceOfAssertFactories.LONG)
			.isBetween(1L, 600_000_000L);
	}

	@Test
	void cachedBanDoesNotRejectChargesWithoutAPolicy() {
		BanPolicy policy = new BanPolicy(1, 600_000_000, 600_000_000, 600_000_000);
		Charge banning = Instance.with(ChargeOptions.ENFORCED.with(policy), this.charge);
		this.instance.request(1, Instance.cost(11, banning));
		assertThat(this.instance.request(2, banning)).isEqualTo(Tally.stored(2, 0));
		assertThat(this.instance.calls.cachedRejections()).isEqualTo(1);
		assertThat(this.instance.request(11, this.charge)).as("by the permits").isEqualTo(Tally.stored(11, 10));
		assertThat(this.instance.calls.cachedRejections()).isEqualTo(1);
	}

	@Test
	void liftedBanTakesEffectEverywhereAfterASecond() {
		BanPolicy policy = new BanPolicy(1, 600_000_000, 600_000_000, 600_000_000);
		Charge banning = Instance.with(ChargeOptions.ENFORCED.with(policy), this.charge);
		assertThat(this.instance.request(20, banning)).isEqualTo(Tally.stored(20, 10));
		try (Instance other = Instance.simulated(this.server.port(), REMEMBERING)) {
			assertThat(other.store.reset(banning.key(), new StoreFailureFlag())).isTrue();
			assertThat(other.request(10, banning)).isEqualTo(Tally.stored(10, 10));
			other.store.reset(banning.key(), new StoreFailureFlag());
		}
		assertThat(this.instance.request(1, banning)).as("by the cache").isEqualTo(Tally.stored(1, 0));
		this.instance.nanoTime.addAndGet(Duration.ofSeconds(1).toNanos() + 1);
		assertThat(this.instance.request(10, banning)).isEqualTo(Tally.stored(10, 10));
	}

	@Test
	void permitsThatThisInstanceReturnsAreUsableAtOnce() {
		AcquireResult taken = this.instance.acquire(this.charge);
		AcquireResult estimated = this.instance.acquire(Instance.cost(4, this.charge));
		assertThat(this.instance.request(20, this.charge).admitted()).isEqualTo(5);
		this.instance.refund(taken);
		assertThat(this.instance.request(20, this.charge).admitted()).isOne();
		this.instance.store.settle(List.of(new Settlement(estimated.charge(0), 1, 0)), new StoreFailureFlag());
		assertThat(this.instance.request(20, this.charge).admitted()).isEqualTo(3);
		this.instance.store.reset(this.charge.key(), new StoreFailureFlag());
		assertThat(this.instance.request(20, this.charge).admitted()).isEqualTo(10);
		this.instance.store.resetAll(this.charge.key().rule());
		assertThat(this.instance.request(20, this.charge).admitted()).isEqualTo(10);
	}

	private long calls() {
		return this.server.calls().getOrDefault("evalsha", 0L);
	}

}
