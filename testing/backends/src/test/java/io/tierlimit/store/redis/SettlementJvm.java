package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A JVM whose requests acquire random estimates, hold a permit, and settle random costs.
 * It prints each change of a bucket twice: before the call the permits that it may
 * consume, and after the reply the permits that it has consumed.
 */
final class SettlementJvm {

	static final int KEYS = 3;

	static final long CAPACITY = 2000;

	static final long MAX_DEBT = 500;

	private static final int THREADS = 2;

	private static final RedisStoreSettings SETTINGS = new RedisStoreSettings("tierlimit", Duration.ofSeconds(2),
			StoreFailurePolicy.DENY, BigDecimal.ONE, 0);

	private static final AtomicInteger CHANGES = new AtomicInteger();

	private final Instance instance;

	private final Random random;

	private SettlementJvm(Instance instance, Random random) {
		this.instance = instance;
		this.random = random;
	}

	/**
	 * Sends requests.
	 * @param args the port of the server, the number of requests, and a seed
	 */
	public static void main(String[] args) throws Exception {
		LettuceConnectionFactory factory = new LettuceConnectionFactory("localhost", Integer.parseInt(args[0]));
		int requests = Integer.parseInt(args[1]);
		try (Instance instance = new Instance(factory, SETTINGS).connected()) {
			Crowd.run(THREADS, (thread) -> {
				new SettlementJvm(instance, new Random(Long.parseLong(args[2]) + thread)).request(requests);
				return 0;
			});
		}
	}

	static TokenBucket limit() {
		return new TokenBucket(Rate.parse("1/d"), CAPACITY);
	}

	/** Sends requests, of which up to four run at the same time. */
	private void request(int requests) {
		Deque<AcquireResult> running = new ArrayDeque<>();
		for (int i = 0; i < requests; i++) {
			AcquireResult result = acquire();
			if (result.admitted()) {
				running.add(result);
			}
			if (running.size() == 4) {
				settle(running.remove());
			}
		}
		running.forEach(this::settle);
	}

	private AcquireResult acquire() {
		Charge tokens = new Charge(new BucketKey("tokens", String.valueOf(this.random.nextInt(KEYS))), limit(),
				this.random.nextInt(20));
		int change = begin(tokens, tokens.cost());
		AcquireResult result = this.instance.acquire(tokens,
				new Charge(HeldPermitsTests.KEY, HeldPermitsTests.MANY, 1));
		if (result.source() == AcquireResult.Source.STORE) {
			end(change, result.admitted() ? tokens.cost() : 0);
		}
		else {
			this.instance.awaitRecovery();
		}
		return result;
	}

	private void settle(AcquireResult result) {
		Charge tokens = result.charge(0);
		long actual = this.random.nextInt((this.random.nextInt(5) == 0) ? 100 : 20);
		int change = begin(tokens, actual - tokens.cost());
		List<Overrun> overruns = this.instance.store.settle(
				List.of(new Settlement(tokens, actual, MAX_DEBT), Settlement.refund(result.charge(1))),
				new StoreFailureFlag());
		if (!overruns.isEmpty()) {
			end(change, actual - tokens.cost() - overruns.get(0).dropped());
		}
		else {
			this.instance.awaitRecovery();
		}
	}

	private static int begin(Charge charge, long permits) {
		int change = CHANGES.incrementAndGet();
		System.out.println("begin " + change + " " + charge.key().key() + " " + permits);
		return change;
	}

	private static void end(int change, long permits) {
		System.out.println("end " + change + " " + permits);
	}

}
