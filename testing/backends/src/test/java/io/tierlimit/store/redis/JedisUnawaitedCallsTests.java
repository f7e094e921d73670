package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

import io.tierlimit.junit.Poll;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for refunds and resets over Jedis that a request does not await, because one of
 * its earlier calls has failed.
 */
// A request that waits by mistake fails the test, which would otherwise not end.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JedisUnawaitedCallsTests extends RedisServerTest {

	/** Much longer than a test takes. */
	private static final JedisClientConfiguration PATIENT = TestConnections.jedis(Duration.ofMinutes(10),
			new GenericObjectPoolConfig<>());

	/** The number of threads of the client. */
	private static final int UNDER_WAY = 64;

	private static final int REFUNDS = 100;

	private final Charge charge = Instance.ten("refunded");

	private final Charge exhausted = Instance.ten("exhausted");

	private final Charge hundred = Instance.of(REFUNDS, "hundred");

	@Test
	void unawaitedRefundsAndResetsRunWhenTheServerRepliesAgain() {
		Instance instance = use(instance());
		AcquireResult taken = instance.acquire(this.charge);
		instance.acquire(Instance.cost(10, this.exhausted));
		this.network.swallow();
		instance.store.refund(taken.charges(), setFlag());
		assertThat(instance.store.reset(this.exhausted.key(), setFlag())).as("the reply was not awaited").isFalse();
		this.network.heal();
		awaitLeft(10, instance, this.charge);
		awaitLeft(10, instance, this.exhausted);
	}

	@Test
	void refundsAreDroppedIfTooManyAreInProgress() {
		Instance instance = use(instance());
		instance.acquire(Instance.cost(REFUNDS, this.hundred));
		this.network.swallow();
		refundOneByOne(instance);
		this.network.heal();
		awaitLeft(UNDER_WAY, instance, this.hundred);
		assertThat(instance.store.status().breakers()).containsOnlyKeys("redis").containsValue("CLOSED");
	}

	@Test
	void interruptedThreadDoesNotWaitForItsRefund() {
		Instance instance = use(instance());
		AcquireResult taken = instance.acquire(this.charge);
		this.network.swallow();
		Thread.currentThread().interrupt();
		instance.store.refund(taken.charges(), new StoreFailureFlag());
		assertThat(Thread.interrupted()).isTrue();
		this.network.heal();
		awaitLeft(10, instance, this.charge);
	}

	private Instance instance() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("localhost", this.network.port());
		return new Instance(TestConnections.started(new JedisConnectionFactory(configuration, PATIENT)),
				Instance.SETTINGS)
			.connected();
	}

	private void refundOneByOne(Instance instance) {
		instance.calls.next();
		for (int i = 0; i < REFUNDS; i++) {
			instance.store.refund(List.of(this.hundred), setFlag());
		}
		assertThat(instance.calls.next()).isEqualTo(Collections.nCopies(REFUNDS - UNDER_WAY, CallOutcome.SKIPPED));
	}

	private static StoreFailureFlag setFlag() {
		StoreFailureFlag failureFlag = new StoreFailureFlag();
		failureFlag.set();
		return failureFlag;
	}

	private static void awaitLeft(long permits, Instance instance, Charge of) {
		Poll.until(() -> instance.left(of) == permits, () -> "remaining: " + instance.left(of));
	}

}
