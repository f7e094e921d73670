package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HolderRenewal} on a real Redis, whose clock the test controls together
 * with the clock of the instances.
 */
@ExtendWith(OutputCaptureExtension.class)
class HolderRenewalTests extends RedisServerTest {

	private static final BucketKey KEY = new BucketKey("exports", "ada");

	private static final Concurrency THREE = Concurrency.of(3, Duration.ofHours(1));

	private final List<Node> nodes = new ArrayList<>();

	/** The clock of Redis and of the instances. */
	private Duration now = Duration.ofDays(20_000);

	private Node node;

	@BeforeEach
	void start() {
		this.node = new Node();
	}

	@AfterEach
	void stop() {
		this.nodes.forEach(Node::close);
	}

	@Test
	void scriptKnowsTheLifeOfAHolder() {
		assertThat(RedisBuckets.script().getScriptAsString())
			.contains("HOLDER_LIFE = " + TimeUnit.NANOSECONDS.toMicros(Renewals.LIFE.toNanos()) + " ");
	}

	@Test
	void holderThatIsRenewedDoesNotEnd() {
		this.node.hold(2);
		for (int i = 0; i < 10; i++) {
			pass(Duration.ofSeconds(29));
			this.node.renew();
			assertThat(this.node.left()).isEqualTo(1);
		}
	}

	@Test
	void permitsOfACrashedInstanceAreFreeAfterThreeIntervals() {
		Node other = new Node();
		this.node.hold(2);
		other.hold(1);
		pass(Renewals.LIFE.minus(Duration.of(1, ChronoUnit.MICROS)));
		other.renew();
		assertThat(other.left()).isZero();
		pass(Duration.of(1, ChronoUnit.MICROS));
		assertThat(other.left()).isEqualTo(2);
	}

	@Test
	void renewalHoldsNoPermitsAgain() {
		Node other = new Node();
		this.node.hold(2);
		pass(Renewals.LIFE);
		other.hold(3);
		this.node.renew();
		assertThat(other.left()).isZero();
		pass(Duration.ofSeconds(20));
		other.renew();
		this.node.renew();
		assertThat(other.hold(1).admitted()).isFalse();
		assertThat(this.node.lost).containsExactly("exports");
		assertThat(other.lost).isEmpty();
	}

	@Test
	void releasedPermitsAreNotRenewed() {
		AcquireResult held = this.node.hold(2);
		this.node.release(held);
		this.server.resetStatistics();
		this.node.renew();
		assertThat(this.server.calls()).doesNotContainKey("evalsha");
		assertThat(this.node.left()).isEqualTo(3);
		assertThat(this.node.lost).isEmpty();
	}

	@Test
	void partOfAHolderIsRenewedUntilItIsReleased() {
		AcquireResult held = this.node.acquire(charge(1), charge(1));
		this.node.store.refund(List.of(held.charge(0)), new StoreFailureFlag());
		pass(Duration.ofSeconds(20));
		this.node.renew();
		pass(Duration.ofSeconds(20));
		assertThat(this.node.left()).isEqualTo(2);
	}

	@Test
	void noRequestCountsLongerThanTheMaximumDuration(CapturedOutput output) {
		Concurrency limit = Concurrency.of(3, Duration.ofSeconds(45));
		AcquireResult held = this.node.acquire(new Charge(KEY, limit, 2));
		pass(Duration.ofSeconds(20));
		this.node.renew();
		pass(Duration.ofSeconds(20));
		this.node.renew();
		assertThat(this.node.left(limit)).isEqualTo(1);
		pass(Duration.ofSeconds(5));
		assertThat(this.node.left(limit)).isEqualTo(3);
		for (int i = 0; i < 2; i++) {
			this.node.renew();
			this.node.acquire(new Charge(KEY, limit, 1));
			pass(Duration.ofSeconds(45));
		}
		this.node.renew();
		this.node.release(held);
		assertThat(this.node.lost).isEmpty();
		assertThat(output).containsOnlyOnce("Rule 'exports': a request has held its permits for max-duration.");
	}

	@Test
	void permitsWhoseReplyIsLostAreReleased() {
		Node impatient = new Node(true, false);
		AcquireResult undecided = impatient.acquire(charge(2), new Charge(new BucketKey("rate", ""), rate(), 1));
		assertThat(undecided.source()).isEqualTo(AcquireResult.Source.FALLBACK);
		assertThat(this.node.left()).isEqualTo(3);
		impatient.renew();
		assertThat(impatient.lost).isEmpty();
	}

	@Test
	void stoppedInstanceReleasesItsPermits() {
		this.node.hold(2);
		new Node().hold(1);
		this.node.store.holders().end();
		assertThat(this.node.left()).isEqualTo(2);
		this.node.renew();
		assertThat(this.node.left()).isEqualTo(2);
	}

	@Test
	void renewalIsOneCallForManyHolders() {
		for (int i = 0; i < 100; i++) {
			this.node.acquire(new Charge(new BucketKey("exports", "user " + i), THREE, 1),
					new Charge(new BucketKey("reports", "user " + i % 50), THREE, 1));
		}
		this.server.resetStatistics();
		this.node.renew();
		assertThat(this.server.calls()).containsEntry("evalsha", 1L);
		pass(Duration.ofSeconds(29));
		assertThat(this.node.lost).isEmpty();
	}

	@Test
	void renewalOfLargeBucketsIsSeveralCalls() {
		for (int i = 0; i < 25; i++) {
			this.node.acquire(
					new Charge(new BucketKey("exports", "user " + i), Concurrency.of(100, Duration.ofHours(1)), 1));
		}
		this.server.resetStatistics();
		this.node.renew();
		assertThat(this.server.calls()).containsEntry("evalsha", 3L);
		assertThat(this.node.lost).isEmpty();
	}

	@Test
	void failedReleaseIsRepeatedByTheNextRenewal() {
		AcquireResult held = this.node.hold(2);
		AcquireResult kept = this.node.hold(1);
		this.node.broken = "settle";
		this.node.release(held);
		assertThat(this.node.left()).isZero();
		this.node.broken = "";
		this.node.renew();
		assertThat(this.node.left()).isEqualTo(2);
		this.node.release(kept);
		this.server.resetStatistics();
		this.node.renew();
		assertThat(this.server.calls()).doesNotContainKey("evalsha");
		assertThat(this.node.lost).isEmpty();
	}

	@Test
	void callThatIsExecutedTwiceHoldsItsPermitsOnce() {
		Node repeating = new Node(false, true);
		AcquireResult held = repeating.hold(2);
		assertThat(held.decision(0)).isNotNull().extracting(Decision::remaining).isEqualTo(1L);
		assertThat(this.node.left()).isEqualTo(1);
		assertThat(repeating.hold(1).admitted()).isTrue();
		assertThat(repeating.hold(1).admitted()).isFalse();
		repeating.release(held);
		assertThat(this.node.left()).isEqualTo(2);
	}

	@Test
	void lostDataLosesTheHoldersAndNoMore() {
		AcquireResult held = this.node.hold(2);
		this.server.command("FLUSHALL");
		assertThat(this.node.left()).isEqualTo(3);
		this.node.renew();
		this.node.renew();
		assertThat(this.node.lost).containsExactly("exports");
		this.node.hold(3);
		this.node.release(held);
		assertThat(this.node.left()).isZero();
	}

	@Test
	void holdersEndEvenIfTheClockOfRedisHasSteppedBack() {
		Node other = new Node();
		this.node.hold(2);
		other.hold(1);
		this.now = this.now.minus(Duration.ofHours(1));
		assertThat(other.left()).isZero();
		pass(Duration.ofSeconds(20));
		other.renew();
		assertThat(other.left()).as("their end was not written before").isZero();
		pass(Duration.ofSeconds(30));
		assertThat(other.left()).isEqualTo(3);
	}

	@Test
	void renewalSendsTheScriptThatRedisHasLost() {
		this.node.hold(2);
		this.server.command("SCRIPT", "FLUSH");
		this.node.renew();
		pass(Duration.ofSeconds(29));
		assertThat(this.node.left()).isEqualTo(1);
		assertThat(this.node.lost).isEmpty();
	}

	@Test
	void failedRenewalIsLoggedOnceAndTriedAgain(CapturedOutput output) {
		this.node.hold(2);
		this.server.command("SET", "tierlimit:exports:{ada}", "x");
		this.node.broken = "renew";
		this.node.renew();
		this.node.renew();
		assertThat(output).containsOnlyOnce("were not renewed in Redis (no reply)");
		this.node.broken = "";
		this.node.renew();
		assertThat(this.node.lost).as("the value was replaced").containsExactly("exports");
	}

	@Test
	void unexpectedErrorDoesNotEndTheRenewals(CapturedOutput output) {
		this.node.hold(2);
		this.node.broken = "renew!";
		this.node.renew();
		assertThat(output).containsOnlyOnce("were not renewed in Redis (no thread)");
		this.node.broken = "";
		this.node.renew();
		pass(Duration.ofSeconds(29));
		assertThat(this.node.left()).isEqualTo(1);
	}

	private void pass(Duration time) {
		this.now = this.now.plus(time);
	}

	private static Charge charge(long permits) {
		return new Charge(KEY, THREE, permits);
	}

	private static TokenBucket rate() {
		return new TokenBucket(Rate.parse("10/h"));
	}

	/**
	 * An instance of the application, without the thread that renews.
	 */
	private final class Node implements StoreListener {

		private final List<String> lost = new ArrayList<>();

		private final RedisBucketStore store;

		private String broken = "";

		Node() {
			this(false, false);
		}

		Node(boolean losesReplies, boolean repeats) {
			SimulatedTime client = new SimulatedTime(
					new Faults(TestConnections.client(HolderRenewalTests.this.server.port()), losesReplies, repeats));
			client.follow(() -> TimeUnit.NANOSECONDS.toMicros(HolderRenewalTests.this.now.toNanos()));
			this.store = new RedisBucketStore(client, SimulatedTime.SCRIPT, Instance.SETTINGS,
					new InMemoryBucketStore(client::now, 1000), this, () -> HolderRenewalTests.this.now.toNanos());
			HolderRenewalTests.this.nodes.add(this);
		}

		AcquireResult acquire(Charge... charges) {
			return this.store.acquire(List.of(charges), new StoreFailureFlag());
		}

		AcquireResult hold(long permits) {
			return acquire(charge(permits));
		}

		void release(AcquireResult held) {
			this.store.refund(held.charges(), new StoreFailureFlag());
		}

		void renew() {
			this.store.holders().renew();
		}

		long left() {
			return left(THREE);
		}

		long left(Concurrency limit) {
			Decision level = this.store.peek(List.of(new Charge(KEY, limit, 0))).decision(0);
			return (level != null) ? level.remaining() : -1;
		}

		@Override
		public void onLostHolder(String rule) {
			this.lost.add(rule);
		}

		void close() {
			this.store.close();
		}

		/**
		 * Executes the calls that acquire, but loses their replies or executes them
		 * twice; does not execute operations that are broken.
		 */
		private final class Faults extends ForwardingClient {

			private final boolean losesReplies;

			private final boolean repeats;

			Faults(ScriptClient client, boolean losesReplies, boolean repeats) {
				super(client);
				this.losesReplies = losesReplies;
				this.repeats = repeats;
			}

			@Override
			public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
				String operation = new String(call.arguments().get(0), StandardCharsets.US_ASCII);
				if (Node.this.broken.equals(operation + "!")) {
					throw new OutOfMemoryError("no thread");
				}
				if (Node.this.broken.equals(operation)) {
					return CompletableFuture.failedFuture(new IllegalStateException("no reply"));
				}
				if (this.repeats && operation.equals("acquire")) {
					Future<List<Object>> unused = this.client.send(script, call, byText);
				}
				Future<List<Object>> reply = this.client.send(script, call, byText);
				if (this.losesReplies && operation.equals("acquire")) {
					return CompletableFuture.failedFuture(new IllegalStateException("no reply"));
				}
				return reply;
			}

		}

	}

}
