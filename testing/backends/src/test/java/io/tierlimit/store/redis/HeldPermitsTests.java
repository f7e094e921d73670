package io.tierlimit.store.redis;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.limit.Concurrency;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the instances of an application together never hold more permits than the
 * limit while Redis decides, and that no fault leaves permits in use.
 */
class HeldPermitsTests extends RedisServerTest {

	static final BucketKey KEY = new BucketKey("exports", "ada");

	static final Concurrency FIVE = Concurrency.of(5, Duration.ofHours(1));

	static final Concurrency MANY = Concurrency.of(1000, Duration.ofHours(1));

	private static final Charge WIDE = new Charge(new BucketKey("all", ""), MANY, 1);

	private final AtomicInteger inUse = new AtomicInteger();

	private final AtomicInteger most = new AtomicInteger();

	@Test
	void instancesNeverHoldMoreThanTheLimitAndLeaveNothing() throws Exception {
		List<Instance> instances = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			instances.add(use(Instance.on(this.server.port())));
		}
		Crowd.run(6, (thread) -> {
			hold(instances.get(thread % 3), new Random(thread), 1000);
			return 0;
		});
		assertThat(this.most).hasValue(5);
		assertThat(instances.get(0).all().stored()).isEqualTo(instances.get(0).all().requests());
		assertThat(instances.get(1).store.holders(KEY)).isEmpty();
		assertThat(instances.get(2).store.holders(WIDE.key())).isEmpty();
	}

	@Test
	void restartsOfRedisLeaveNoPermitsInUse() throws Exception {
		Instance instance = use(Instance.on(this.server.port()));
		Crowd.run(5, (thread) -> {
			if (thread == 4) {
				for (int i = 0; i < 3; i++) {
					this.server.restart();
				}
				return 0;
			}
			hold(instance, new Random(thread), 2000);
			return 0;
		});
		instance.awaitRecovery();
		assertThat(instance.local.holders(KEY)).isEmpty();
		// A release may have failed: its holder is not renewed, and ends soon.
		try (Later later = new Later(this.server, instance.store)) {
			assertThat(later.left(KEY, FIVE)).isEqualTo(5);
		}
	}

	/** Holds and releases permits at random, and counts the permits in use. */
	private void hold(Instance instance, Random random, int rounds) {
		Deque<AcquireResult> held = new ArrayDeque<>();
		for (int i = 0; i < rounds; i++) {
			if (!held.isEmpty() && random.nextBoolean()) {
				release(instance, held.remove());
			}
			AcquireResult result = instance.acquire(new Charge(KEY, FIVE, 1 + random.nextInt(2)), WIDE);
			if (result.admitted()) {
				this.most.accumulateAndGet(this.inUse.addAndGet((int) result.charge(0).cost()), Math::max);
				held.add(result);
			}
		}
		held.forEach((result) -> release(instance, result));
	}

	private void release(Instance instance, AcquireResult held) {
		this.inUse.addAndGet((int) -held.charge(0).cost());
		instance.refund(held);
	}

	@Test
	void killedInstanceReleasesItsPermitsAfterThreeIntervals() throws Exception {
		Process process = new ProcessBuilder(
				SettlementStormTests.command(PermitHolderJvm.class, String.valueOf(this.server.port())))
			.redirectErrorStream(true)
			.start();
		try (BufferedReader output = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
			String line = output.readLine();
			while (line != null && !line.equals(PermitHolderJvm.HELD)) {
				line = output.readLine();
			}
			assertThat(line).isEqualTo(PermitHolderJvm.HELD);
			Instance other = use(Instance.on(this.server.port()));
			assertThat(other.left(new Charge(KEY, FIVE, 1))).isEqualTo(2);
			process.destroyForcibly().waitFor();
			assertThat(other.left(new Charge(KEY, FIVE, 1))).isEqualTo(2);
			try (Later later = new Later(this.server)) {
				assertThat(later.left(KEY, FIVE)).isEqualTo(5);
			}
		}
		finally {
			process.destroyForcibly();
		}
	}

	@Test
	void outageIsDecidedLocallyAndReleasedLocally() {
		Instance instance = use(
				new Instance(new LettuceConnectionFactory("localhost", this.network.port()), Instance.SETTINGS)
					.connected());
		Charge charge = new Charge(KEY, FIVE, 2);
		AcquireResult before = instance.acquire(charge);
		this.network.reject();
		AcquireResult during = instance.acquire(charge);
		assertThat(during.source()).isEqualTo(AcquireResult.Source.FALLBACK);
		assertThat(instance.leftLocally(charge)).isEqualTo(3);
		instance.refund(during);
		assertThat(instance.leftLocally(charge)).isEqualTo(5);
		instance.refund(before);
		instance.store.refund(before.charges(), new StoreFailureFlag());
		this.network.heal();
		instance.awaitRecovery();
		try (Later later = new Later(this.server, instance.store)) {
			assertThat(later.left(KEY, FIVE)).isEqualTo(5);
		}
	}

}
