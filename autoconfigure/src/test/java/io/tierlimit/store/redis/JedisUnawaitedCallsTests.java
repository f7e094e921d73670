package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.tierlimit.redis.Poll;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TcpProxy;
import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.StoreBudget;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for refunds and resets over Jedis that their request does not await, because one
 * of its calls has failed before.
 */
// A request that waits by mistake fails the test instead of hanging.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class JedisUnawaitedCallsTests {

	private static final Duration RECOVERY = Duration.ofSeconds(60);

	/** Much longer than a test takes. */
	private static final JedisClientConfiguration PATIENT = JedisClientConfiguration.builder()
		.readTimeout(Duration.ofMinutes(10))
		.connectTimeout(Duration.ofMinutes(10))
		.usePooling()
		.build();

	/** The number of threads of the client. */
	private static final int UNDER_WAY = 64;

	private static final int REFUNDS = 100;

	private final Charge charge = Instance.ten("refunded");

	private final Charge exhausted = Instance.ten("exhausted");

	private final Charge hundred = Instance.of(REFUNDS, "hundred");

	private final CallLog calls = new CallLog();

	@Test
	void unawaitedRefundsAndResetsRunWhenTheServerRepliesAgain() {
		try (RedisServer server = RedisServer.start(); TcpProxy network = new TcpProxy(server.port())) {
			JedisConnectionFactory factory = factory(network.port());
			try (RedisBucketStore store = store(factory)) {
				AcquireResult taken = store.acquire(List.of(this.charge), new StoreBudget());
				store.acquire(List.of(cost(10, this.exhausted)), new StoreBudget());
				network.swallow();
				store.refund(taken.charges(), over());
				assertThat(store.reset(this.exhausted.key(), over())).as("the reply was not awaited").isFalse();
				network.heal();
				awaitLeft(10, store, this.charge);
				awaitLeft(10, store, this.exhausted);
			}
			finally {
				factory.destroy();
			}
		}
	}

	@Test
	void refundsAreDroppedIfTooManyAreInProgress() {
		try (RedisServer server = RedisServer.start(); TcpProxy network = new TcpProxy(server.port())) {
			JedisConnectionFactory factory = factory(network.port());
			try (RedisBucketStore store = store(factory)) {
				store.acquire(List.of(cost(REFUNDS, this.hundred)), new StoreBudget());
				network.swallow();
				refundOneByOne(store);
				network.heal();
				awaitLeft(UNDER_WAY, store, this.hundred);
				assertThat(store.status().breakers()).containsOnlyKeys("redis").containsValue("CLOSED");
			}
			finally {
				factory.destroy();
			}
		}
	}

	@Test
	void refundsOnAClusterAreDroppedIfTooManyAreInProgress() {
		try (RedisCluster cluster = RedisCluster.start()) {
			Gated factory = new Gated(TestConnections.of(cluster));
			TestConnections.started(factory);
			try (RedisBucketStore store = store(factory)) {
				store.acquire(List.of(cost(REFUNDS, this.hundred)), new StoreBudget());
				factory.gate = new CountDownLatch(1);
				refundOneByOne(store);
				factory.gate.countDown();
				awaitLeft(UNDER_WAY, store, this.hundred);
			}
			finally {
				factory.gate.countDown();
				factory.destroy();
			}
		}
	}

	@Test
	void interruptedThreadDoesNotWaitForItsRefund() {
		try (RedisServer server = RedisServer.start(); TcpProxy network = new TcpProxy(server.port())) {
			JedisConnectionFactory factory = factory(network.port());
			try (RedisBucketStore store = store(factory)) {
				AcquireResult taken = store.acquire(List.of(this.charge), new StoreBudget());
				network.swallow();
				Thread.currentThread().interrupt();
				store.refund(taken.charges(), new StoreBudget());
				assertThat(Thread.interrupted()).isTrue();
				network.heal();
				awaitLeft(10, store, this.charge);
			}
			finally {
				factory.destroy();
			}
		}
	}

	private void refundOneByOne(RedisBucketStore store) {
		this.calls.next();
		for (int i = 0; i < REFUNDS; i++) {
			store.refund(List.of(this.hundred), over());
		}
		assertThat(this.calls.next()).isEqualTo(Collections.nCopies(REFUNDS - UNDER_WAY, CallOutcome.SKIPPED));
	}

	private static StoreBudget over() {
		StoreBudget budget = new StoreBudget();
		budget.exhaust();
		return budget;
	}

	private static void awaitLeft(long permits, RedisBucketStore store, Charge of) {
		Poll.until(RECOVERY, () -> left(store, of) == permits, () -> "remaining: " + left(store, of));
	}

	private static long left(RedisBucketStore store, Charge of) {
		return store.peek(List.of(cost(0, of))).decisions().get(0).remaining();
	}

	private static Charge cost(long cost, Charge charge) {
		return new Charge(charge.key(), charge.limit(), cost);
	}

	private RedisBucketStore store(JedisConnectionFactory factory) {
		RedisBucketStore store = new RedisBucketStore(factory, Instance.SETTINGS,
				new InMemoryBucketStore(new SimulatedTicker(), 100), this.calls);
		assertThat(store.resetAll("none")).isTrue();
		return store;
	}

	private static JedisConnectionFactory factory(int port) {
		return TestConnections
			.started(new JedisConnectionFactory(new RedisStandaloneConfiguration("localhost", port), PATIENT));
	}

	/** Provides no connection while its gate is closed. */
	private static final class Gated extends JedisConnectionFactory {

		private volatile CountDownLatch gate = new CountDownLatch(0);

		Gated(RedisClusterConfiguration cluster) {
			super(cluster, PATIENT);
		}

		@Override
		public RedisConnection getConnection() {
			try {
				this.gate.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return super.getConnection();
		}

	}

}
