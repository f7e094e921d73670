package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.redis.RedisSocket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} while its server is absent, fails or is slow: each
 * request is decided by the instance alone and, once the server has recovered, by the
 * server.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutageTests extends RedisServerTest {

	private static final int MANY = 200;

	private static final long HOUR = Duration.ofHours(1).toNanos() / 1000;

	private final Charge charge = Instance.ten("outage");

	@Test
	void killedServerReturnsWithoutBuckets(CapturedOutput output) {
		assertOutage(output, this.server::kill, this.server::restart, 10);
	}

	/** As after a failover of which the application was not notified. */
	@Test
	void replicaIsAnOutageUntilItIsPromoted(CapturedOutput output) {
		assertOutage(output, () -> this.server.command("REPLICAOF", "127.0.0.1", "1"),
				() -> this.server.command("REPLICAOF", "NO", "ONE"), 6);
		assertThat(output).containsOnlyOnce("READONLY");
	}

	/**
	 * This is the same as for a rejection that cannot be counted because there is no
	 * memory left.
	 */
	@Test
	void rejectionByAReplicaIsNotCounted() {
		BanPolicy policy = new BanPolicy(2, HOUR, HOUR, HOUR);
		Charge banning = Instance.with(ChargeOptions.ENFORCED.with(policy), this.charge);
		Instance instance = use(Instance.on(this.server.port()));
		assertThat(instance.request(10, banning)).isEqualTo(Tally.stored(10, 10));
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		assertThat(bans(instance, banning, 5)).containsOnlyNulls();
		this.server.command("REPLICAOF", "NO", "ONE");
		assertThat(bans(instance, banning, 1)).containsOnlyNulls();
		assertThat(bans(instance, banning, 1)).doesNotContainNull();
	}

	private static List<@Nullable Ban> bans(Instance instance, Charge charge, int rejections) {
		List<@Nullable Ban> bans = new ArrayList<>();
		for (int i = 0; i < rejections; i++) {
			AcquireResult result = instance.acquire(charge);
			assertThat(result.source()).isEqualTo(Source.STORE);
			assertThat(result.admitted()).isFalse();
			bans.add(Objects.requireNonNull(result.decision(0)).ban());
		}
		return bans;
	}

	@Test
	void changedPasswordIsAnOutage(CapturedOutput output) {
		try (RedisSocket admin = this.server.connect()) {
			assertOutage(output, () -> {
				admin.command("CONFIG", "SET", "requirepass", "changed");
				admin.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			}, () -> admin.command("CONFIG", "SET", "requirepass", ""), 6);
		}
	}

	/** Asserts an outage in which calls fail at once, and the permits that are left. */
	private void assertOutage(CapturedOutput output, Runnable fault, Runnable healing, int left) {
		Instance instance = use(Instance.on(this.server.port()));
		assertThat(instance.request(4, this.charge)).isEqualTo(Tally.stored(4, 4));
		fault.run();
		assertThat(instance.request(MANY, this.charge)).isEqualTo(Tally.alone(MANY, 10));
		assertThat(instance.calls.next()).contains(CallOutcome.FAILED, CallOutcome.SKIPPED);
		healing.run();
		new OutageLog(output).awaitOneOutage(instance);
		assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, left));
	}

	@Test
	void serverMayStartAfterTheApplication(CapturedOutput output) {
		this.network.reject();
		Instance instance = use(Instance.starting(this.network.port()));
		assertThat(instance.request(MANY, this.charge)).isEqualTo(Tally.alone(MANY, 10));
		this.network.heal();
		new OutageLog(output).awaitOneOutage(instance);
		assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 10));
	}

	@Test
	void wrongPasswordAtStartupIsAnOutage(CapturedOutput output) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("localhost", this.server.port());
		configuration.setPassword("wrong");
		try (RedisSocket admin = this.server.connect()) {
			admin.command("CONFIG", "SET", "requirepass", "right");
			try (Instance instance = new Instance(new LettuceConnectionFactory(configuration), Instance.SETTINGS)) {
				assertThat(instance.request(MANY, this.charge)).isEqualTo(Tally.alone(MANY, 10));
				admin.command("CONFIG", "SET", "requirepass", "wrong");
				new OutageLog(output).awaitOneOutage(instance);
				assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 10));
				// The message depends on whether the server or the client is faster.
				assertThat(output).containsAnyOf("WRONGPASS", "rejected the connection during its handshake")
					.doesNotContain("\"wrong\"", "'wrong'");
			}
		}
	}

	@Test
	void stoppedServerReturnsWithItsBuckets(CapturedOutput output) {
		assertSilence(output, Instance.on(this.server.port()), this.server::stop, this.server::resume);
	}

	@Test
	void lateRepliesAreAnOutage(CapturedOutput output) {
		assertSilence(output, Instance.on(this.network.port()), () -> this.network.delay(Duration.ofHours(1)),
				this.network::heal);
	}

	/** Asserts an outage in which calls are executed late and have no reply in time. */
	private void assertSilence(CapturedOutput output, Instance instance, Runnable fault, Runnable healing) {
		use(instance);
		new OutageLog(output).awaitOutage(instance, this.charge, fault, healing);
		// Calls that were made before the breaker opened may have been charged.
		assertThat(instance.request(20, this.charge).admitted()).isLessThanOrEqualTo(6);
		assertThat(instance.left(this.charge)).isZero();
	}

	@Test
	void lostConnectionIsReplacedAfterTheOutage(CapturedOutput output) {
		Instance instance = use(Instance.on(this.network.port()));
		new OutageLog(output).awaitOutage(instance, this.charge, this.network::swallow, () -> {
			this.network.cut();
			this.network.heal();
		});
		assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 6));
	}

	@Test
	void repliesWithinTheTimeoutCount(CapturedOutput output) {
		Instance instance = use(Instance.on(this.network.port()));
		instance.request(9, this.charge);
		this.network.delay(Duration.ofMillis(300));
		assertThat(instance.request(2, this.charge)).isEqualTo(Tally.stored(2, 1));
		assertThat(new OutageLog(output).begun()).isZero();
	}

	/**
	 * All calls together take much longer than the timeout, and each call takes more than
	 * half of the timeout.
	 */
	@Test
	void everyCallOfARequestHasTheWholeTimeout(CapturedOutput output) {
		RedisStoreSettings settings = new RedisStoreSettings("tierlimit", Duration.ofSeconds(60),
				StoreFailurePolicy.DENY, BigDecimal.ONE, 0);
		AtomicLong now = new AtomicLong();
		CallLog calls = new CallLog();
		try (Instance instance = Instance.on(this.server.port());
				RedisBucketStore store = new RedisBucketStore(
						new LateReplies(ScriptClientFactory.create(instance.factory, settings.timeout()),
								Duration.ofSeconds(32), now),
						RedisBuckets.script(), settings, instance.local, calls, now::get)) {
			this.server.command("SCRIPT", "FLUSH");
			StoreFailureFlag failureFlag = new StoreFailureFlag();
			AcquireResult first = store.acquire(List.of(this.charge), failureFlag);
			assertThat(first.source()).as("a missing script, then its source").isEqualTo(Source.STORE);
			assertThat(store.acquire(List.of(this.charge), failureFlag).source()).isEqualTo(Source.STORE);
			store.refund(first.charges(), failureFlag);
			assertThat(instance.left(this.charge)).isEqualTo(9);
			assertThat(store.reset(this.charge.key(), failureFlag)).isTrue();
			assertThat(Duration.ofNanos(now.get())).isEqualTo(Duration.ofSeconds(5 * 32));
			assertThat(calls.next()).hasSize(4).containsOnly(CallOutcome.ANSWERED);
			assertThat(failureFlag.isSet()).isFalse();
			assertThat(store.status().lastFailure()).isNull();
			assertThat(new OutageLog(output).begun()).isZero();
		}
	}

	@Test
	void chargeWithALostReplyIsNotRepeated() {
		assertNotRepeated(0);
	}

	@Test
	void connectionCutWithinAReplyIsReplaced() {
		assertNotRepeated(20);
	}

	/** Cuts the connection after some bytes of the reply to a charge. */
	private void assertNotRepeated(int bytes) {
		Instance instance = use(Instance.on(this.network.port()));
		instance.request(1, this.charge);
		this.network.cutAfter(bytes);
		assertThat(instance.request(1, this.charge)).isEqualTo(Tally.alone(1, 1));
		instance.awaitRecovery();
		assertThat(instance.left(this.charge)).isEqualTo(8);
	}

}
