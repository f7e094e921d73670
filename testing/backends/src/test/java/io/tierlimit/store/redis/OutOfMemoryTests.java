package io.tierlimit.store.redis;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overrun;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} with a server that has no memory left and may not
 * evict keys ({@code noeviction}).
 */
@ExtendWith(OutputCaptureExtension.class)
class OutOfMemoryTests extends RedisServerTest {

	private final Charge exhausted = Instance.ten("exhausted");

	private final Charge fresh = Instance.ten("fresh");

	@Test
	void rejectionsNeedNoMemory(CapturedOutput output) {
		Instance instance = use(Instance.on(this.server.port()));
		instance.request(10, this.exhausted);
		fillMemory();
		assertThat(instance.request(20, this.exhausted)).isEqualTo(Tally.stored(20, 0));
		assertThat(instance.request(20, this.fresh, this.exhausted)).isEqualTo(Tally.stored(20, 0));
		assertThat(new OutageLog(output).begun()).isZero();
	}

	@Test
	void rejectionThatCannotBeCountedIsARejection(CapturedOutput output) {
		BanPolicy policy = new BanPolicy(3, 600_000_000, 600_000_000, 600_000_000);
		Charge banning = Instance.with(ChargeOptions.ENFORCED.with(policy), this.exhausted);
		Instance instance = use(Instance.on(this.server.port()));
		instance.request(12, banning);
		fillMemory();
		for (int i = 0; i < 10; i++) {
			assertThat(instance.acquire(banning).decision(0)).isNotNull()
				.extracting(Decision::allowed, Decision::ban)
				.containsExactly(false, null);
		}
		assertThat(new OutageLog(output).begun()).isZero();
		freeMemory();
		assertThat(instance.acquire(banning).decision(0)).isNotNull()
			.extracting(Decision::ban)
			.isEqualTo(new Ban(600_000_000, 1, true));
		fillMemory();
		assertThat(instance.request(20, banning, this.fresh)).isEqualTo(Tally.stored(20, 0));
		assertThat(new OutageLog(output).begun()).isZero();
	}

	@Test
	void chargeThatCannotBeWrittenIsDecidedLocally(CapturedOutput output) {
		Instance instance = use(Instance.on(this.server.port()));
		instance.request(9, this.exhausted);
		fillMemory();
		assertThat(instance.request(200, this.fresh, this.exhausted)).isEqualTo(Tally.alone(200, 10));
		freeMemory();
		new OutageLog(output).awaitOneOutage(instance);
		assertThat(instance.left(this.fresh)).isEqualTo(10);
		assertThat(instance.left(this.exhausted)).isEqualTo(1);
		assertThat(instance.request(20, this.fresh)).isEqualTo(Tally.stored(20, 10));
	}

	@Test
	void refundThatCannotBeWrittenKeepsItsCharges(CapturedOutput output) {
		OutageLog log = new OutageLog(output);
		Instance instance = use(Instance.on(this.server.port()));
		AcquireResult both = instance.acquire(this.fresh, this.exhausted);
		fillMemory();
		instance.calls.next();
		instance.refund(both);
		assertThat(instance.calls.next()).containsExactly(CallOutcome.FAILED);
		assertThat(log.begun()).isOne();
		assertThat(reason(instance)).contains("OOM command not allowed");
		assertThat(output).contains("cannot be reached (" + reason(instance) + ")");
		freeMemory();
		assertThat(instance.left(this.fresh)).isEqualTo(9);
		assertThat(instance.left(this.exhausted)).isEqualTo(9);
		instance.refund(both);
		assertThat(instance.left(this.fresh)).isEqualTo(10);
		log.awaitOneOutage(instance);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 8 })
	void costThatCannotBeWrittenKeepsTheEstimate(long actual) {
		Instance instance = use(Instance.on(this.server.port()));
		AcquireResult estimated = instance.acquire(Instance.cost(5, this.fresh), Instance.cost(5, this.exhausted));
		List<Settlement> settlements = estimated.charges()
			.stream()
			.map((charge) -> new Settlement(charge, actual, 0))
			.toList();
		fillMemory();
		assertThat(instance.store.settle(settlements, new StoreFailureFlag())).isEmpty();
		freeMemory();
		assertThat(instance.left(this.fresh)).isEqualTo(5);
		assertThat(instance.left(this.exhausted)).isEqualTo(5);
		assertThat(instance.store.settle(settlements, new StoreFailureFlag())).containsOnly(Overrun.NONE);
		assertThat(instance.left(this.fresh)).isEqualTo(10 - actual);
	}

	@Test
	void resetThatCannotBeWrittenChangesNothing(CapturedOutput output) {
		OutageLog log = new OutageLog(output);
		Instance instance = use(Instance.on(this.server.port()));
		instance.request(10, this.exhausted);
		fillMemory();
		assertThat(instance.store.reset(this.exhausted.key(), new StoreFailureFlag())).isFalse();
		assertThat(instance.store.resetAll("exhausted")).isFalse();
		assertThat(instance.left(this.exhausted)).isZero();
		assertThat(log.begun()).isOne();
		freeMemory();
		assertThat(instance.store.reset(this.exhausted.key(), new StoreFailureFlag())).isTrue();
		assertThat(instance.left(this.exhausted)).isEqualTo(10);
	}

	/** Tests every place in the script at which the memory could be used up. */
	@Test
	void allBucketsOrNoneAreWrittenAtTheEdgeOfMemory() throws Exception {
		RedisScript<?> script = RedisBuckets.script();
		ScriptCallFactory calls = new ScriptCallFactory(new RedisKeys("tierlimit"), () -> false);
		Set<Long> written = new TreeSet<>();
		try (ScriptClient client = TestConnections.client(this.server.port())) {
			client.send(script, calls.withoutBuckets(), true).get();
			for (int round = 0; round < 200; round++) {
				List<ChargeAttempt> charges = charges(round);
				this.server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
				long used = TestConnections.info(this.server, "used_memory");
				this.server.command("CONFIG", "SET", "maxmemory", Long.toString(used + 1000L * (round - 150)));
				try {
					client.send(script, calls.acquire(charges, true).get(0).call(), false).get();
				}
				catch (ExecutionException ex) {
					assertThat(ex).hasMessageContaining("OOM command not allowed");
				}
				freeMemory();
				long keys = Long.parseLong(this.server.command("DBSIZE"));
				assertThat(keys).isIn(0L, (long) charges.size());
				written.add(keys);
				this.server.command("FLUSHALL");
			}
		}
		assertThat(written).as("both cases occurred").hasSize(2);
	}

	private static List<ChargeAttempt> charges(int round) {
		return IntStream.range(0, 8)
			.mapToObj((i) -> new ChargeAttempt(Instance.ten("tier-" + i + "-of-" + round)))
			.toList();
	}

	private static String reason(Instance instance) {
		return Objects.requireNonNull(instance.store.status().lastFailure()).reason();
	}

	/** Fills the memory with other values, up to the last byte. */
	private void fillMemory() {
		this.server.command("SET", "other", "x".repeat(100_000));
		this.server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
		this.server.command("CONFIG", "SET", "maxmemory", "1");
	}

	private void freeMemory() {
		this.server.command("CONFIG", "SET", "maxmemory", "0");
	}

}
