package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the decisions of {@link RedisBucketStore} while Redis cannot be reached.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailurePolicyTests extends RedisServerTest {

	private final Charge local = Instance.ten("local");

	private final Charge other = Instance.ten("other");

	private final Charge allow = with(StoreFailurePolicy.ALLOW, false, Instance.ten("allow"));

	private final Charge deny = with(StoreFailurePolicy.DENY, false, Instance.ten("deny"));

	@Test
	void denyRejectsAndNothingIsCharged() {
		Instance instance = away(Instance.SETTINGS);
		AcquireResult result = instance.acquire(this.local, this.allow, this.deny);
		assertThat(result).isEqualTo(new AcquireResult(false, Source.NONE, nulls(3), result.charges()));
		assertThat(instance.local.size()).isZero();
	}

	@Test
	void shadowRuleThatDeniesHasNoDecision() {
		Instance instance = away(Instance.SETTINGS);
		AcquireResult result = instance.acquire(with(StoreFailurePolicy.DENY, true, this.deny), this.local);
		assertThat(result.admitted()).isTrue();
		assertThat(result.source()).isEqualTo(Source.FALLBACK);
		assertThat(result.decisions()).first().isNull();
		assertThat(result.decisions()).last().extracting(Decision::remaining).isEqualTo(9L);
	}

	@Test
	void allowingRuleHasNoDecision() {
		Instance instance = away(Instance.SETTINGS);
		assertThat(instance.request(50, this.allow)).isEqualTo(Tally.alone(50, 50));
		assertThat(instance.request(50, this.allow, this.local)).isEqualTo(Tally.alone(50, 10));
		AcquireResult result = instance.acquire(this.allow, this.other);
		assertThat(result.decisions()).first().isNull();
		assertThat(result.decisions()).last().extracting(Decision::remaining).isEqualTo(9L);
		assertThat(instance.leftLocally(this.allow)).isEqualTo(10);
	}

	@Test
	void localBucketsAreChargedTogether() {
		Instance instance = away(Instance.SETTINGS);
		instance.request(10, this.local);
		AcquireResult result = instance.acquire(this.other, this.allow, this.local);
		assertThat(result.admitted()).isFalse();
		assertThat(result.source()).isEqualTo(Source.FALLBACK);
		assertThat(result.decisions()).extracting((decision) -> (decision != null) ? decision.allowed() : null)
			.containsExactly(true, null, false);
		assertThat(instance.leftLocally(this.other)).isEqualTo(10);
	}

	@ParameterizedTest
	@EnumSource
	void chargesWithoutPolicyUseThePolicyOfTheStore(StoreFailurePolicy onStoreFailure) {
		Instance instance = away(settings(onStoreFailure, "1"));
		Tally expected = switch (onStoreFailure) {
			case LOCAL -> Tally.alone(20, 10);
			case ALLOW -> Tally.alone(20, 20);
			case DENY -> new Tally(0, 0, 20, 0);
		};
		assertThat(instance.request(20, this.local)).isEqualTo(expected);
	}

	@Test
	void chargesWithPolicyUseTheirOwn() {
		Instance instance = away(settings(StoreFailurePolicy.DENY, "1"));
		Charge own = with(StoreFailurePolicy.LOCAL, false, this.local);
		assertThat(instance.request(20, own)).isEqualTo(Tally.alone(20, 10));
		assertThat(instance.request(20, own, this.allow)).isEqualTo(Tally.alone(20, 0));
	}

	@Test
	void shareIsAPartOfBurstAndRate() {
		Charge perSecond = Instance.charge("share", new TokenBucket(Rate.parse("1/s"), 10));
		Instance instance = away(settings(StoreFailurePolicy.LOCAL, "0.25"));
		assertThat(instance.request(20, perSecond)).isEqualTo(Tally.alone(20, 2));
		instance.ticker.advance(Duration.ofMillis(3999));
		assertThat(instance.request(20, perSecond)).isEqualTo(Tally.alone(20, 0));
		instance.ticker.advance(Duration.ofMillis(1));
		assertThat(instance.request(20, perSecond)).isEqualTo(Tally.alone(20, 1));
	}

	@Test
	void shareIsAtLeastOnePermit() {
		Instance instance = away(settings(StoreFailurePolicy.LOCAL, "0.01"));
		assertThat(instance.request(5, this.local)).isEqualTo(Tally.alone(5, 1));
	}

	@Test
	void costAboveTheShareIsRejected() {
		Instance instance = away(settings(StoreFailurePolicy.LOCAL, "0.25"));
		AcquireResult expensive = instance.acquire(Instance.cost(3, this.local));
		assertThat(expensive.admitted()).isFalse();
		assertThat(expensive.decisions().get(0)).matches(Decision::neverAllowed);
		assertThat(instance.request(5, this.local, Instance.cost(2, this.local))).isEqualTo(Tally.alone(5, 0));
		assertThat(instance.request(5, this.local, this.local)).isEqualTo(Tally.alone(5, 1));
	}

	@Test
	void shareIsKeptForRequestsOfAnyCost() {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"), 100);
		Instance instance = away(settings(StoreFailurePolicy.LOCAL, "0.05"));
		for (int cheap = 0; cheap <= 1; cheap++) {
			Charge charge = Instance.charge("costs-" + cheap, limit);
			long granted = 0;
			for (int second = 0; second < 3600; second++) {
				instance.ticker.advance(Duration.ofSeconds(1));
				granted += 100L * instance.request(1, Instance.cost(100, charge)).admitted();
				granted += 5L * instance.request(1, Instance.cost(5, charge)).admitted();
				granted += (long) cheap * instance.request(1, Instance.cost(cheap, charge)).admitted();
			}
			assertThat(granted).isBetween(180L, 180L + 5);
		}
	}

	@Test
	void reservationDuringAnOutageIsLocal() {
		Charge perSecond = Instance.charge("reserved", new TokenBucket(Rate.parse("1/s"), 10));
		Charge reserved = new Charge(perSecond.key(), perSecond.limit(), 7,
				new ChargeOptions(false, StoreFailurePolicy.LOCAL, true, Overdraft.ofPermits(5), null, true));
		Instance instance = away(Instance.SETTINGS);
		assertThat(instance.acquire(reserved).decisions().get(0).delayTicks()).isZero();
		AcquireResult inDebt = instance.acquire(reserved);
		assertThat(inDebt.source()).isEqualTo(Source.FALLBACK);
		assertThat(inDebt.decisions().get(0).delayTicks()).isEqualTo(4_000_000);
		assertThat(instance.acquire(reserved).admitted()).isFalse();
		instance.refund(inDebt);
		assertThat(instance.leftLocally(perSecond)).isEqualTo(3);
	}

	@Test
	void localBucketsHaveTheirOwnBans() {
		BanPolicy policy = new BanPolicy(5, 600_000_000, 600_000_000, 600_000_000);
		Charge banning = Instance.with(this.local.options().with(policy), this.local);
		Instance instance = away(Instance.SETTINGS);
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
		Instance instance = away(Instance.SETTINGS);
		StoreFailureFlag failureFlag;
		do {
			failureFlag = new StoreFailureFlag();
			assertThat(instance.store.acquire(List.of(this.local), failureFlag).source()).isEqualTo(Source.FALLBACK);
		}
		while (instance.calls.next().contains(CallOutcome.FAILED));
		assertThat(failureFlag.isSet()).isFalse();
	}

	@Test
	void costOfZeroIsAllowedByEveryPolicy() {
		Instance instance = away(Instance.SETTINGS);
		assertThat(instance.request(1, Instance.cost(0, this.deny))).isEqualTo(Tally.alone(1, 1));
		assertThat(instance.request(1, this.deny).unavailable()).isOne();
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
	void localShareIsRefunded() {
		Instance instance = away(settings(StoreFailurePolicy.LOCAL, "0.5"));
		AcquireResult result = instance.acquire(Instance.cost(5, this.local));
		assertThat(instance.request(1, this.local).admitted()).isZero();
		instance.refund(result);
		assertThat(instance.request(20, this.local)).isEqualTo(Tally.alone(20, 5));
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
		Instance instance = away(Instance.SETTINGS);
		instance.request(10, this.local);
		assertThat(instance.store.reset(this.local.key(), new StoreFailureFlag())).isFalse();
		assertThat(instance.leftLocally(this.local)).isEqualTo(10);
		instance.request(10, this.local);
		assertThat(instance.store.resetAll(this.local.key().rule())).isFalse();
		assertThat(instance.left(this.local)).isEqualTo(10);
	}

	@Test
	void outageLogCountsEveryPolicy(CapturedOutput output) {
		Instance instance = away(Instance.SETTINGS);
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

	private Instance away(RedisStoreSettings settings) {
		Instance instance = use(Instance.on(this.network.port(), settings));
		this.network.reject();
		return instance;
	}

	private static RedisStoreSettings settings(StoreFailurePolicy onStoreFailure, String share) {
		return new RedisStoreSettings("tierlimit", Instance.SETTINGS.timeout(), onStoreFailure, new BigDecimal(share),
				0);
	}

	private static List<Decision> nulls(int size) {
		return Collections.nCopies(size, null);
	}

	private static Charge with(StoreFailurePolicy onStoreFailure, boolean shadow, Charge charge) {
		return Instance.with(new ChargeOptions(shadow, onStoreFailure, true, Overdraft.NONE, null, true), charge);
	}

}
