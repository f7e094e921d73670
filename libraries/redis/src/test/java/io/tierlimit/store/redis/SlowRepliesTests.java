package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} with late or lost replies.
 */
@ExtendWith(OutputCaptureExtension.class)
class SlowRepliesTests extends RedisServerTest {

	private final Charge charge = Instance.ten("slow");

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
	void lateRepliesAreAnOutage(CapturedOutput output) {
		Instance instance = use(Instance.on(this.network.port()));
		new OutageLog(output).awaitOutage(instance, this.charge, () -> this.network.delay(Duration.ofHours(1)),
				this.network::heal);
		// The calls that were made before the breaker opened were charged.
		assertThat(instance.request(20, this.charge).admitted()).isLessThan(6);
		assertThat(instance.left(this.charge)).isZero();
	}

	@Test
	void pausedServerIsAnOutage(CapturedOutput output) {
		Instance instance = use(Instance.on(this.server.port()));
		// Redis treats scripts as writes, and other clients can end the pause.
		Runnable pause = () -> this.server.command("CLIENT", "PAUSE", "3600000", "WRITE");
		new OutageLog(output).awaitOutage(instance, this.charge, pause, () -> this.server.command("CLIENT", "UNPAUSE"));
		assertThat(instance.request(20, this.charge).admitted()).isLessThanOrEqualTo(6);
		assertThat(instance.left(this.charge)).isZero();
	}

	@Test
	void chargeWithALostReplyIsNotRepeated() {
		Instance instance = use(Instance.on(this.network.port()));
		instance.request(1, this.charge);
		this.network.cutAfter(0);
		assertThat(instance.request(1, this.charge)).isEqualTo(Tally.alone(1, 1));
		instance.awaitRecovery();
		assertThat(instance.left(this.charge)).isEqualTo(8);
	}

	@Test
	void connectionCutWithinAReplyIsReplaced() {
		Instance instance = use(Instance.on(this.network.port()));
		instance.request(1, this.charge);
		this.network.cutAfter(20);
		assertThat(instance.request(1, this.charge)).isEqualTo(Tally.alone(1, 1));
		instance.awaitRecovery();
		assertThat(instance.request(20, this.charge)).isEqualTo(Tally.stored(20, 8));
	}

}
