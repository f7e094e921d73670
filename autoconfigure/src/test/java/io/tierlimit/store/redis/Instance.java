package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.Poll;
import io.tierlimit.spi.Answer;
import io.tierlimit.spi.Answer.Source;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.Waits;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance of an application as far as its store is concerned: with a connection
 * factory of its own, local buckets that nothing refills, and a count of all answers.
 */
final class Instance implements AutoCloseable {

	static final RedisStoreSettings SETTINGS = new RedisStoreSettings("tierlimit", Duration.ofMillis(100),
			StoreFailurePolicy.LOCAL, BigDecimal.ONE, 0);

	/**
	 * For tests in which nothing is to time out, also on machines that do other things.
	 */
	static final RedisStoreSettings PATIENT = new RedisStoreSettings("tierlimit", Duration.ofSeconds(5),
			StoreFailurePolicy.LOCAL, BigDecimal.ONE, 0);

	/** The timeout, and a lot for machines that do other things too. */
	private static final Duration LONGEST = Duration.ofSeconds(2);

	private static final Duration RECOVERY = Duration.ofSeconds(15);

	private static final Charge PROBE = charge("probe", new TokenBucket(Rate.parse("1000000/ms")));

	private final LettuceConnectionFactory factory;

	private final AtomicReference<Tally> all = new AtomicReference<>(Tally.NONE);

	final SimulatedTicker ticker = new SimulatedTicker();

	final InMemoryBucketStore local = new InMemoryBucketStore(this.ticker, 1000);

	final CallLog calls = new CallLog();

	final RedisBucketStore store;

	Instance(LettuceConnectionFactory factory, RedisStoreSettings settings) {
		this.factory = factory;
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.store = new RedisBucketStore(factory, settings, this.local, this.calls);
	}

	/** Just started: perhaps not connected yet, perhaps never. */
	static Instance starting(int port) {
		return new Instance(new LettuceConnectionFactory("localhost", port), SETTINGS);
	}

	/** Up and running. */
	static Instance on(int port) {
		return on(port, SETTINGS);
	}

	/** Up and running, and waiting for Redis whatever it takes. */
	static Instance patient(int port) {
		return on(port, PATIENT);
	}

	static Instance on(int port, RedisStoreSettings settings) {
		return new Instance(new LettuceConnectionFactory("localhost", port), settings).connected();
	}

	Instance connected() {
		// The one call that waits longer than a request.
		assertThat(this.store.resetAll("none")).isTrue();
		return this;
	}

	static Charge charge(String rule, TokenBucket limit) {
		return new Charge(new BucketKey(rule, "ada"), limit, 1);
	}

	/** On a bucket of ten permits, of which none comes back while a test runs. */
	static Charge ten(String rule) {
		return of(10, rule);
	}

	/** On a bucket of which nothing comes back while a test runs. */
	static Charge of(long burst, String rule) {
		return charge(rule, new TokenBucket(new Rate(burst, Rate.MAX_PERIOD)));
	}

	Answer acquire(Charge... charges) {
		long start = System.nanoTime();
		Answer answer = this.store.acquire(List.of(charges), new Waits());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LONGEST);
		this.all.accumulateAndGet(Tally.of(answer), Tally::and);
		return answer;
	}

	/** Makes requests, each with all these charges. */
	Tally ask(int requests, Charge... charges) {
		Tally tally = Tally.NONE;
		for (int i = 0; i < requests; i++) {
			tally = tally.and(Tally.of(acquire(charges)));
		}
		return tally;
	}

	/** How all requests were answered so far. */
	Tally all() {
		return Objects.requireNonNull(this.all.get());
	}

	/** Makes requests until one is decided in Redis. */
	void awaitRecovery() {
		Poll.until(RECOVERY, () -> acquire(PROBE).source() == Source.STORE, () -> "no answer from Redis: " + all());
	}

	/** Whole permits left in Redis. */
	long left(Charge charge) {
		return this.store.peek(List.of(new Charge(charge.key(), charge.limit(), 0))).decisions().get(0).remaining();
	}

	/** Whole permits left here. */
	long leftAlone(Charge charge) {
		return this.local.peek(List.of(new Charge(charge.key(), charge.limit(), 0))).decisions().get(0).remaining();
	}

	/** Gives back what an answer names. */
	void refund(Answer answer) {
		this.store.refund(answer.charges(), new Waits());
	}

	@Override
	public void close() {
		this.store.close();
		this.factory.destroy();
	}

}
