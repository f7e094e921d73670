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
 * A JVM that sends many requests for one key with four tiers, which are in different
 * slots of a Redis Cluster, and prints the number of admitted requests.
 */
final class Hammer {

	private static final int THREADS = 4;

	private static final RedisStoreSettings SETTINGS = new RedisStoreSettings("tierlimit", Duration.ofMinutes(1),
			StoreFailurePolicy.DENY, BigDecimal.ONE, 1000);

	private static final TokenBucket WIDE = new TokenBucket(Rate.parse("1000000/d"));

	private Hammer() {
	}

	/**
	 * Sends the requests.
	 * @param args the rate and the burst of the tightest tier, the number of requests,
	 * and the port of a server or the ports of a cluster
	 */
	public static void main(String[] args) throws Exception {
		Charge[] tiers = { charge("tight", new TokenBucket(Rate.parse(args[0]), Long.parseLong(args[1]))),
				charge("wide-1", WIDE), charge("wide-2", WIDE), charge("wide-3", WIDE) };
		int requests = Integer.parseInt(args[2]);
		List<String> nodes = Stream.of(args).skip(3).map((port) -> "localhost:" + port).toList();
		try (Instance instance = new Instance(factory(nodes), SETTINGS).connected()) {
			Crowd.run(THREADS, (member) -> instance.request(requests / THREADS, tiers).requests());
			System.out.println("admitted " + instance.all().admitted() + " of " + instance.all().stored());
		}
	}

	private static LettuceConnectionFactory factory(List<String> nodes) {
		if (nodes.size() > 1) {
			return new LettuceConnectionFactory(new RedisClusterConfiguration(nodes));
		}
		return new LettuceConnectionFactory("localhost", Integer.parseInt(nodes.get(0).split(":", -1)[1]));
	}

	private static Charge charge(String rule, TokenBucket limit) {
		return new Charge(new BucketKey(rule, "key of " + rule), limit, 1);
	}

}
