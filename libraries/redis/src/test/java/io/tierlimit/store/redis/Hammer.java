package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A JVM that sends many requests with four tiers, which are in different slots of a Redis
 * Cluster, and prints the number of admitted requests: first for a tier that does not
 * refill, then for a tier that does.
 */
final class Hammer {

	/** A limit that does not refill during a test. */
	static final TokenBucket BURST = new TokenBucket(Rate.parse("1/d"), 300);

	/** Earns few permits while the JVMs start. */
	static final TokenBucket EARNED = new TokenBucket(Rate.parse("5/s"), 50);

	private static final int THREADS = 4;

	private static final RedisStoreSettings SETTINGS = new RedisStoreSettings("tierlimit", Duration.ofMinutes(1),
			StoreFailurePolicy.DENY, BigDecimal.ONE, 1000);

	private static final TokenBucket WIDE = new TokenBucket(Rate.parse("1000000/d"));

	private Hammer() {
	}

	/**
	 * Sends the requests.
	 * @param args the number of requests for each of the two tiers, and the ports of a
	 * cluster
	 */
	public static void main(String[] args) throws Exception {
		int requests = Integer.parseInt(args[0]);
		List<String> nodes = Stream.of(args).skip(1).map((port) -> "localhost:" + port).toList();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(new RedisClusterConfiguration(nodes));
		try (Instance instance = new Instance(factory, SETTINGS).connected()) {
			int burst = hammer(instance, requests, charge("burst", BURST));
			int earned = hammer(instance, requests, charge("earned", EARNED));
			System.out.println("admitted " + burst + " and " + earned + " of " + instance.all().stored());
		}
	}

	private static int hammer(Instance instance, int requests, Charge tight) throws Exception {
		Charge[] tiers = { tight, charge("wide-1", WIDE), charge("wide-2", WIDE), charge("wide-3", WIDE) };
		return Crowd.run(THREADS, (member) -> instance.request(requests / THREADS, tiers).admitted())
			.stream()
			.mapToInt(Integer::intValue)
			.sum();
	}

	private static Charge charge(String rule, TokenBucket limit) {
		return new Charge(new BucketKey(rule, "key of " + rule), limit, 1);
	}

}
