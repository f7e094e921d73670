package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the decisions of {@link RedisBucketStore} while Redis cannot be reached.
 * {@link LocalFallbackTests} has the policies and the share of this instance.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailurePolicyTests extends RedisServerTest {

	private final Charge local = Instance.ten("local");

	private final Charge other = Instance.ten("other");

	private final Charge allow = with(StoreFailurePolicy.ALLOW, Instance.ten("allow"));

	private final Charge deny = with(StoreFailurePolicy.DENY, Instance.ten("deny"));

	@Test
	void localBucketsHaveTheirOwnBans() {
		BanPolicy policy = new BanPolicy(5, 600_000_000, 600_000_000, 600_000_000);
		Charge banning = Instance.with(this.local.options().with(policy), this.local);
		Instance instance = away();
		assertThat(instance.request(14, banning)).isEqualTo(Tally.alone(14, 10));
		AcquireResult banned = instance.acquire(banning);
		assertThat(banned.source()).isEqualTo(Source.FALLBACK);
		assertThat(banned.decision(0)).isNotNull().extracting(Decision::ban).isEqualTo(new Ban(600_000_000, 1, true));
		assertThat(instance.store.bans(banning.key().rule(), 10)).containsOnlyKeys(banning.key());
		instance.store.reset(banning.key(), new StoreFailureFlag());
		assertThat(instance.store.bans(banning.key().rule(), 10)).isEmpty();
	}

	@Test
	void requestWithAFailedCallDoesNotWaitAgain() {
		Instance instance = use(Instance.on(this.network.port()));
		StoreFailureFlag failureFlag = new StoreFailureFlag();
		instance.leaveUnanswered(this.network::swallow);
		assertThat(instance.store.acquire(List.of(this.local), failureFlag).source()).isEqualTo(Source.FALLBACK);
		assertThat(failureFlag.isSet()).isTrue();
		instance.answerAgain(this.network::heal);
		instance.awaitRecovery();
		assertThat(instance.store.acquire(List.of(this.local), failureFlag).source()).isEqualTo(Source.FALLBACK);
		assertThat(instance.store.acquire(List.of(this.local), new StoreFailureFlag()).source())
			.isEqualTo(Source.STORE);
	}

	@Test
	void refundsAndResetsOfARequestWithAFailedCallAreSent() {
		Instance instance = use(Instance.on(this.network.port()));
		StoreFailureFlag failureFlag = new StoreFailureFlag();
		AcquireResult taken = instance.store.acquire(List.of(this.local), failureFlag);
		instance.request(10, this.other);
		failureFlag.set();
		instance.store.refund(taken.charges(), failureFlag);
		assertThat(instance.left(this.local)).isEqualTo(10);
		assertThat(instance.store.reset(this.other.key(), failureFlag)).as("the reply was not awaited").isFalse();
		assertThat(instance.left(this.other)).isEqualTo(10);
	}

	@Test
	void failedRefundSetsTheFlagOfItsRequest() {
		Instance instance = use(Instance.on(this.network.port()));
		StoreFailureFlag failureFlag = new StoreFailureFlag();
		AcquireResult taken = instance.store.acquire(List.of(this.local), failureFlag);
		assertThat(failureFlag.isSet()).isFalse();
		instance.leaveUnanswered(this.network::swallow);
		instance.store.refund(taken.charges(), failureFlag);
		assertThat(failureFlag.isSet()).isTrue();
	}

	@Test
	void callThatIsNotMadeIsNotAFailureOfRedis(CapturedOutput output) {
		Instance instance = use(Instance.on(this.network.port()));
		AcquireResult taken = instance.acquire(this.other);
		instance.calls.next();
		StoreFailureFlag failureFlag = new StoreFailureFlag();
		failureFlag.set();
		for (int i = 0; i < 20; i++) {
			assertThat(instance.store.acquire(List.of(this.local), failureFlag).source()).isEqualTo(Source.FALLBACK);
			instance.store.refund(taken.charges(), failureFlag);
			assertThat(instance.store.reset(this.other.key(), failureFlag)).isFalse();
		}
		assertThat(instance.calls.next()).isEmpty();
		assertThat(instance.store.status().breakers()).containsOnly(Map.entry("redis", "CLOSED"));
		assertThat(instance.store.status().lastFailure()).isNull();
		assertThat(new OutageLog(output).begun()).isZero();
		assertThat(instance.request(1, this.local)).isEqualTo(Tally.stored(1, 1));
	}

	@Test
	void openBreakerDoesNotSetTheFlag() {
		Instance instance = away();
		StoreFailureFlag failureFlag;
		do {
			failureFlag = new StoreFailureFlag();
			assertThat(instance.store.acquire(List.of(this.local), failureFlag).source()).isEqualTo(Source.FALLBACK);
		}
		while (instance.calls.next().contains(CallOutcome.FAILED));
		assertThat(failureFlag.isSet()).isFalse();
	}

	@Test
	void localChargeIsRefundedLocally() {
		Instance instance = use(Instance.on(this.network.port()));
		instance.request(3, this.local);
		this.network.reject();
		instance.request(4, this.local);
		AcquireResult second = instance.acquire(this.allow, this.local);
		instance.refund(instance.acquire(this.local));
		assertThat(instance.leftLocally(this.local)).isEqualTo(5);
		this.network.heal();
		instance.awaitRecovery();
		instance.refund(new AcquireResult(true, List.of(), second.charges().subList(1, 2)));
		assertThat(instance.leftLocally(this.local)).isEqualTo(6);
		assertThat(instance.left(this.local)).isEqualTo(7);
	}

	@Test
	void chargeInRedisIsNotRefundedDuringAnOutage() {
		Instance instance = use(Instance.on(this.network.port()));
		AcquireResult result = instance.acquire(Instance.cost(3, this.local));
		this.network.reject();
		instance.request(2, this.local);
		instance.refund(result);
		assertThat(instance.leftLocally(this.local)).isEqualTo(8);
		this.network.heal();
		instance.awaitRecovery();
		assertThat(instance.left(this.local)).isEqualTo(7);
	}

	@Test
	void resetDuringAnOutageResetsLocalBuckets() {
		Instance instance = away();
		instance.request(10, this.local);
		assertThat(instance.store.reset(this.local.key(), new StoreFailureFlag())).isFalse();
		assertThat(instance.leftLocally(this.local)).isEqualTo(10);
		instance.request(10, this.local);
		assertThat(instance.store.resetAll(this.local.key().rule())).isFalse();
		assertThat(instance.left(this.local)).isEqualTo(10);
	}

	@Test
	void outageLogCountsEveryPolicy(CapturedOutput output) {
		Instance instance = away();
		instance.request(20, this.local, this.allow);
		instance.request(3, this.allow);
		instance.request(5, this.local, this.deny);
		int before = instance.all().alone();
		this.network.heal();
		OutageLog log = new OutageLog(output);
		log.awaitOneOutage(instance);
		assertThat(log.numbers()).isEqualTo(List.of(20 + instance.all().alone() - before, 3, 5));
	}

	@Test
	void interruptedThreadsAreNotFailuresOfRedis(CapturedOutput output) {
		Instance instance = use(Instance.on(this.network.port()));
		this.network.delay(Duration.ofMillis(20));
		for (int i = 0; i < 20; i++) {
			Thread.currentThread().interrupt();
			Tally tally = instance.request(1, this.local);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(tally.alone()).isOne();
		}
		assertThat(instance.all()).isEqualTo(Tally.alone(20, 10));
		Thread.currentThread().interrupt();
		assertThat(instance.store.reset(this.local.key(), new StoreFailureFlag())).as("the reply was not awaited")
			.isFalse();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(instance.request(5, this.other)).isEqualTo(Tally.stored(5, 5));
		assertThat(new OutageLog(output).begun()).isZero();
	}

	private Instance away() {
		Instance instance = use(Instance.on(this.network.port()));
		this.network.reject();
		return instance;
	}

	private static Charge with(StoreFailurePolicy onStoreFailure, Charge charge) {
		return Instance.with(new ChargeOptions(false, onStoreFailure, true, Overdraft.NONE, null, true), charge);
	}

}
