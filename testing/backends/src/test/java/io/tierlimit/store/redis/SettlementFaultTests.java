package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;

import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that faults of Redis settle a cost once or not at all.
 */
class SettlementFaultTests extends RedisServerTest {

	private static final long DAY = Duration.ofDays(1).toNanos() / 1000;

	/** An estimate of ten from a bucket of 100 permits that does not refill in a test. */
	private static final Charge TEN = new Charge(new BucketKey("tokens", "ada"),
			new TokenBucket(Rate.parse("1/d"), 100), 10);

	/** Costs below and above the estimate. */
	private static final long LOWER = 4;

	private static final long HIGHER = 25;

	@ParameterizedTest
	@ValueSource(longs = { LOWER, HIGHER })
	void costThatIsSettledDuringAnOutageIsLost(long actual) {
		Instance instance = use(Instance.on(this.network.port()));
		AcquireResult estimated = instance.acquire(TEN);
		this.network.reject();
		StoreFailureFlag failureFlag = new StoreFailureFlag();
		assertThat(settle(instance, estimated, actual, failureFlag)).isEmpty();
		assertThat(failureFlag.isSet()).isTrue();
		assertThat(missing(instance.local)).isZero();
		this.network.heal();
		instance.awaitRecovery();
		instance.store.holders().renew();
		assertThat(missing(instance.store)).isEqualTo(10);
	}

	@Test
	void breakerSkipsSettlements() {
		Instance instance = use(Instance.on(this.network.port()));
		AcquireResult estimated = instance.acquire(TEN);
		this.network.reject();
		instance.calls.next();
		for (int i = 0; i < 20; i++) {
			assertThat(settle(instance, estimated, HIGHER, new StoreFailureFlag())).isEmpty();
		}
		assertThat(instance.calls.next()).contains(CallOutcome.FAILED, CallOutcome.SKIPPED)
			.doesNotContain(CallOutcome.ANSWERED);
		this.network.heal();
		instance.awaitRecovery();
		assertThat(missing(instance.store)).isEqualTo(10);
	}

	@ParameterizedTest
	@ValueSource(longs = { LOWER, HIGHER })
	void settlementWhoseReplyIsLostIsNotRepeated(long actual) {
		Instance instance = use(Instance.on(this.network.port()));
		AcquireResult estimated = instance.acquire(TEN);
		this.network.cutAfter(0);
		assertThat(settle(instance, estimated, actual, new StoreFailureFlag())).isEmpty();
		instance.awaitRecovery();
		instance.store.holders().renew();
		assertThat(missing(instance.store)).isEqualTo(actual);
	}

	@Test
	void settlementWhoseReplyIsLateIsNotRepeated() {
		Instance instance = use(Instance.on(this.network.port()));
		AcquireResult estimated = instance.acquire(TEN);
		instance.leaveUnanswered(() -> this.network.delay(Duration.ofHours(1)));
		assertThat(settle(instance, estimated, HIGHER, new StoreFailureFlag())).isEmpty();
		instance.answerAgain(this.network::heal);
		instance.awaitRecovery();
		assertThat(missing(instance.store)).isEqualTo(HIGHER);
	}

	@ParameterizedTest
	@ValueSource(longs = { LOWER, HIGHER })
	void settlementOfARequestWithAFailedCallIsSentWithoutWaiting(long actual) {
		Instance instance = use(Instance.on(this.network.port()));
		AcquireResult estimated = instance.acquire(TEN);
		StoreFailureFlag failureFlag = new StoreFailureFlag();
		failureFlag.set();
		assertThat(settle(instance, estimated, actual, failureFlag)).as("the reply was not awaited").isEmpty();
		Poll.until(() -> missing(instance.store) == actual, () -> "Consumed are " + missing(instance.store));
	}

	@Test
	void costOfALocalChargeIsSettledLocally() {
		Instance instance = use(Instance.on(this.network.port()));
		this.network.reject();
		AcquireResult first = instance.acquire(TEN);
		AcquireResult second = instance.acquire(TEN);
		assertThat(List.of(first.source(), second.source())).containsOnly(Source.FALLBACK);
		assertThat(settle(instance, first, LOWER, new StoreFailureFlag())).containsExactly(Overrun.NONE);
		assertThat(missing(instance.local)).isEqualTo(LOWER + 10);
		this.network.heal();
		instance.awaitRecovery();
		assertThat(settle(instance, second, 127, new StoreFailureFlag())).as("after the outage")
			.containsExactly(new Overrun(11, true));
		assertThat(missing(instance.local)).isEqualTo(100 + 20);
		assertThat(missing(instance.store)).isZero();
	}

	@Test
	void settlementsOfOneCallAreInRedisAndLocal() {
		Instance instance = use(Instance.on(this.network.port()));
		AcquireResult stored = instance.acquire(TEN);
		this.network.reject();
		AcquireResult local = instance.acquire(TEN);
		this.network.heal();
		instance.awaitRecovery();
		assertThat(instance.store.settle(List.of(settlement(local.charge(0), 115), settlement(stored.charge(0), 121),
				settlement(local.charge(0), 26)), new StoreFailureFlag()))
			.containsExactly(Overrun.NONE, new Overrun(1, true), new Overrun(11, true));
		assertThat(missing(instance.local)).isEqualTo(120);
		assertThat(missing(instance.store)).isEqualTo(120);
	}

	@Test
	void lossOfAllDataLosesWhatWasSettled() {
		Instance instance = use(Instance.on(this.server.port()));
		AcquireResult first = instance.acquire(TEN);
		AcquireResult second = instance.acquire(TEN);
		this.server.command("FLUSHALL");
		assertThat(settle(instance, first, LOWER, new StoreFailureFlag())).containsExactly(Overrun.NONE);
		assertThat(missing(instance.store)).as("a full bucket gets nothing back").isZero();
		assertThat(settle(instance, second, HIGHER, new StoreFailureFlag())).containsExactly(Overrun.NONE);
		assertThat(missing(instance.store)).isEqualTo(HIGHER - 10);
	}

	private static List<Overrun> settle(Instance instance, AcquireResult estimated, long actual,
			StoreFailureFlag failureFlag) {
		return instance.store.settle(List.of(settlement(estimated.charge(0), actual)), failureFlag);
	}

	private static Settlement settlement(Charge charge, long actual) {
		return new Settlement(charge, actual, 20);
	}

	/** The permits that are missing in the bucket, including what it owes. */
	private static long missing(BucketStore store) {
		long ticks = store.peek(List.of(Instance.cost(0, TEN))).decisions().get(0).resetTicks();
		return -Math.floorDiv(-ticks, DAY);
	}

}
