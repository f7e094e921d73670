package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreStatus.LocalShare;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store of an instance of an application, with its own connection factory, local
 * buckets that do not refill, and a count of all results.
 */
final class Instance implements AutoCloseable {

	static final RedisStoreSettings SETTINGS = settings(StoreFailurePolicy.LOCAL, 0);

	/** Settings with a share that depends on the number of instances. */
	static final RedisStoreSettings COUNTED = new RedisStoreSettings("tierlimit", TestConnections.TIMEOUT,
			StoreFailurePolicy.LOCAL, null, 0);

	/** Much longer than the timeout: only an endless wait takes this long. */
	static final Duration LONGEST = Duration.ofSeconds(30);

	/**
	 * After this time, one request tries to reach Redis again, and a success ends the
	 * outage.
	 */
	private static final Duration PAUSE = Duration.ofMillis(1001);

	private static final Charge PROBE = charge("probe", new TokenBucket(Rate.parse("1000000/ms")));

	final RedisConnectionFactory factory;

	private final Runnable disconnect;

	private final AtomicReference<Tally> all = new AtomicReference<>(Tally.NONE);

	final SimulatedTicker ticker = new SimulatedTicker();

	final InMemoryBucketStore local = new InMemoryBucketStore(this.ticker, 1000);

	final CallLog calls = new CallLog();

	/**
	 * The clock of this instance if it was created by {@link #simulated}, and otherwise
	 * the time that its clock has skipped.
	 */
	final AtomicLong nanoTime = new AtomicLong();

	/** The time that the clock skips between two requests without Redis. */
	private final long skip;

	final RedisBucketStore store;

	private final @Nullable ImpatientClient client;

	/** An instance whose store derives its connections from a factory. */
	Instance(LettuceConnectionFactory factory, RedisStoreSettings settings) {
		this(factory, () -> {
		}, settings);
	}

	/** An instance with a factory that is started. */
	Instance(JedisConnectionFactory factory, RedisStoreSettings settings) {
		this(factory, factory::destroy, settings);
	}

	private Instance(RedisConnectionFactory factory, Runnable disconnect, RedisStoreSettings settings) {
		this.factory = factory;
		this.disconnect = disconnect;
		this.client = null;
		this.skip = 0;
		this.store = new RedisBucketStore(factory, settings, this.local, this.calls);
	}

	private Instance(LettuceConnectionFactory factory, RedisStoreSettings settings, Duration skip, boolean simulated) {
		this.factory = factory;
		this.disconnect = () -> {
		};
		this.client = new ImpatientClient(ScriptClientFactory.create(factory, settings.timeout()));
		this.skip = skip.toNanos();
		this.store = new RedisBucketStore(this.client, RedisBuckets.script(), settings, this.local, this.calls,
				simulated ? this.nanoTime::get : () -> System.nanoTime() + this.nanoTime.get());
		this.store.connect();
	}

	/** An instance that has just started, and may not be connected yet. */
	static Instance starting(int port) {
		return new Instance(new LettuceConnectionFactory("localhost", port), SETTINGS, PAUSE, false);
	}

	/** A running instance, ready for {@link #leaveUnanswered}. */
	static Instance on(int port) {
		return on(port, SETTINGS);
	}

	static Instance on(int port, RedisStoreSettings settings) {
		return new Instance(new LettuceConnectionFactory("localhost", port), settings, PAUSE, false).connected();
	}

	/**
	 * A running instance of a cluster, ready for {@link #leaveUnanswered}. Its clock does
	 * not skip pauses, because the servers return one after the other.
	 */
	static Instance on(LettuceConnectionFactory factory, RedisStoreSettings settings) {
		return new Instance(factory, settings, Duration.ZERO, false).connected();
	}

	/** A running instance whose clock only advances when a test advances it. */
	static Instance simulated(int port, RedisStoreSettings settings) {
		return new Instance(new LettuceConnectionFactory("localhost", port), settings, Duration.ZERO, true).connected();
	}

	/**
	 * Causes a fault after which calls have no reply, and waits for replies only for a
	 * short time.
	 */
	void leaveUnanswered(Runnable fault) {
		leaveUnanswered((call) -> true, fault);
	}

	/**
	 * Causes a fault after which the matching calls have no reply, but other calls do.
	 */
	void leaveUnanswered(Predicate<ScriptCall> calls, Runnable fault) {
		fault.run();
		Objects.requireNonNull(this.client).giveUpSoonOn(calls);
	}

	/** Ends the fault. After this, calls have the whole timeout again. */
	void answerAgain(Runnable healing) {
		Objects.requireNonNull(this.client).giveUpSoonOn((call) -> false);
		healing.run();
	}

	Instance connected() {
		// the only call that waits longer than a request
		assertThat(this.store.resetAll("none")).isTrue();
		return this;
	}

	static Charge charge(String rule, TokenBucket limit) {
		return new Charge(new BucketKey(rule, "ada"), limit, 1);
	}

	/** A charge on a bucket of ten permits, which does not refill during a test. */
	static Charge ten(String rule) {
		return of(10, rule);
	}

	/** A charge on a bucket that does not refill during a test. */
	static Charge of(long burst, String rule) {
		return charge(rule, new TokenBucket(new Rate(burst, Rate.MAX_PERIOD)));
	}

	static Charge cost(long cost, Charge charge) {
		return new Charge(charge.key(), charge.limit(), cost, charge.options());
	}

	static Charge with(ChargeOptions options, Charge charge) {
		return new Charge(charge.key(), charge.limit(), charge.cost(), options);
	}

	/** Settings with a policy and a size of the cache. */
	static RedisStoreSettings settings(StoreFailurePolicy onStoreFailure, int cachedRejections) {
		return new RedisStoreSettings("tierlimit", TestConnections.TIMEOUT, onStoreFailure, BigDecimal.ONE,
				cachedRejections);
	}

	AcquireResult acquire(Charge... charges) {
		long start = System.nanoTime();
		AcquireResult result = this.store.acquire(List.of(charges), new StoreFailureFlag());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LONGEST);
		this.all.accumulateAndGet(Tally.of(result), Tally::and);
		return result;
	}

	/** Makes requests, each with all these charges. */
	Tally request(int requests, Charge... charges) {
		Tally tally = Tally.NONE;
		for (int i = 0; i < requests; i++) {
			tally = tally.and(Tally.of(acquire(charges)));
		}
		return tally;
	}

	/** The results of all requests so far. */
	Tally all() {
		return Objects.requireNonNull(this.all.get());
	}

	/**
	 * Renews the membership again and again, without waiting for the interval, until
	 * Redis shows a number of instances.
	 */
	@SuppressWarnings("ReferenceEquality") // each renewal creates an object
	void awaitInstances(int number) {
		Poll.until(() -> {
			this.store.leave();
			LocalShare before = localShare();
			this.store.join();
			Poll.until(() -> localShare() != before, () -> "not renewed: " + before);
			return Integer.valueOf(number).equals(localShare().instances());
		}, () -> localShare().toString());
	}

	LocalShare localShare() {
		return Objects.requireNonNull(this.store.status().localShare());
	}

	/** Makes requests until one is decided in Redis. */
	void awaitRecovery() {
		Poll.until(() -> acquire(PROBE).source() == Source.STORE || skipPause(), () -> "no reply of Redis: " + all());
	}

	/** Skips the pause between two attempts. Returns false, because it ends no outage. */
	boolean skipPause() {
		this.nanoTime.addAndGet(this.skip);
		return false;
	}

	/** The whole permits that remain in Redis. */
	long left(Charge charge) {
		return this.store.peek(List.of(new Charge(charge.key(), charge.limit(), 0))).decisions().get(0).remaining();
	}

	/** The whole permits that remain in this instance. */
	long leftLocally(Charge charge) {
		return this.local.peek(List.of(new Charge(charge.key(), charge.limit(), 0))).decisions().get(0).remaining();
	}

	/** Refunds the charges of a result. */
	void refund(AcquireResult result) {
		this.store.refund(result.charges(), new StoreFailureFlag());
	}

	@Override
	public void close() {
		this.store.close();
		this.disconnect.run();
	}

}
