package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what depends on both Jedis and Redis Cluster: the slots of keys, and the
 * search for keys. {@link ClusterStormTests} has concurrent requests over Jedis, and
 * {@link JedisClusterContractTests} the rest of the contract.
 */
class JedisClusterTests extends RedisClusterTest {

	private static final TokenBucket TEN = new TokenBucket(new Rate(10, Rate.MAX_PERIOD));

	private static final long HOUR = Duration.ofHours(1).toNanos() / 1000;

	/** Each rejection starts a ban. */
	private static final ChargeOptions BANNING = ChargeOptions.ENFORCED.with(new BanPolicy(1, HOUR, HOUR, HOUR));

	private Instance instance;

	@BeforeEach
	void start() {
		ClusterBuckets.empty(cluster);
		this.instance = new Instance(TestConnections.jedis(cluster), ClusterBuckets.DENYING).connected();
	}

	@AfterEach
	void stop() {
		this.instance.close();
	}

	@Test
	void keysMayHaveAnyCharacters() {
		for (String text : List.of("", " ", "a b", "a:b", "a/b", "{a}", "}{", "*", "\0", "\n", "\r\n", "\t", "\"", "\\",
				"%25", "%u", "ä", "a\u0308", "İ", "漢字", "😀", "\ud83d", "(overflow)")) {
			List<BucketKey> keys = List.of(new BucketKey("r", text), new BucketKey("r", text + text + "x"),
					new BucketKey("r", "y" + text), new BucketKey("r", text + "|x", text),
					new BucketKey("r", "x|" + text, "x"));
			Charge otherRule = new Charge(new BucketKey("r" + text + "x", ""), TEN, 1);
			this.instance.acquire(otherRule);
			for (int i = 0; i < keys.size(); i++) {
				this.instance.acquire(new Charge(keys.get(i), TEN, i));
			}
			for (int i = 0; i < keys.size(); i++) {
				assertThat(this.instance.left(new Charge(keys.get(i), TEN, 1))).as("%s", keys.get(i)).isEqualTo(10 - i);
			}
			keys.forEach((key) -> this.instance.acquire(new Charge(key, TEN, 11, BANNING)));
			assertThat(this.instance.store.bans("r", 10).keySet()).containsExactlyInAnyOrderElementsOf(keys);
			assertThat(this.instance.store.resetAll("r")).isTrue();
			assertThat(this.instance.store.bans("r", 10)).isEmpty();
			assertThat(keys).allMatch((key) -> this.instance.left(new Charge(key, TEN, 1)) == 10);
			assertThat(this.instance.left(otherRule)).isEqualTo(9);
			ClusterBuckets.empty(cluster);
		}
	}

	/** One page of keys does not contain all keys of a node. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void resetAllFindsManyKeysOnEveryNode(boolean clustered) {
		if (!clustered) {
			this.instance.close();
			this.instance = new Instance(TestConnections.jedis(StandaloneContractTests.server), ClusterBuckets.DENYING)
				.connected();
		}
		List<List<Charge>> requests = IntStream.range(0, 3 * 10).mapToObj((request) -> {
			String owner = ClusterBuckets.affinityKey(request % 3, 0);
			return IntStream.range(0, 60)
				.mapToObj((i) -> new Charge(new BucketKey("many", owner + "|" + request + "|" + i, owner), TEN, 3))
				.toList();
		}).toList();
		requests.forEach((charges) -> this.instance.acquire(charges.toArray(Charge[]::new)));
		Charge otherRule = new Charge(new BucketKey("many2", ""), TEN, 1);
		this.instance.acquire(otherRule);
		assertThat(requests).allSatisfy((charges) -> assertLeft(7, charges));
		assertThat(this.instance.store.resetAll("many")).isTrue();
		assertThat(requests).allSatisfy((charges) -> assertLeft(10, charges));
		assertThat(this.instance.left(otherRule)).isEqualTo(9);
		assertThat(this.instance.store.resetAll("unknown")).isTrue();
	}

	private void assertLeft(long permits, List<Charge> charges) {
		List<Charge> levels = charges.stream().map((charge) -> Instance.cost(0, charge)).toList();
		assertThat(this.instance.store.peek(levels).decisions())
			.allMatch((decision) -> decision.remaining() == permits);
	}

	@Test
	void permitsAreHeldAndCostsAreSettledInSeveralSlots() {
		BucketKey exports = new BucketKey("exports", ClusterBuckets.affinityKey(0, 0));
		Charge tokens = new Charge(new BucketKey("tokens", ClusterBuckets.affinityKey(1, 0)), TEN, 4);
		AcquireResult held = this.instance.acquire(new Charge(exports, Concurrency.of(5, Duration.ofHours(1)), 2),
				tokens);
		assertThat(this.instance.store.holders(exports)).hasSize(1);
		assertThat(this.instance.left(tokens)).isEqualTo(6);
		assertThat(this.instance.store.settle(
				List.of(Settlement.refund(held.charge(0)), new Settlement(held.charge(1), 11, 0)),
				new StoreFailureFlag()))
			.containsExactly(Overrun.NONE, new Overrun(1, true));
		assertThat(this.instance.store.holders(exports)).isEmpty();
		assertThat(this.instance.left(tokens)).isZero();
		assertThat(this.instance.store.refill(tokens.key(), new StoreFailureFlag())).isTrue();
		assertThat(this.instance.left(tokens)).isEqualTo(10);
	}

}
