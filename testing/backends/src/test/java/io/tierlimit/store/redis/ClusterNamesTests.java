package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
import io.tierlimit.Verdict;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the slot of a caller's buckets in a Redis Cluster.
 */
@Tag("slow")
class ClusterNamesTests {

	private static final List<Rule> RULES = List.of(rule("per-user", "user"),
			rule("orders-per-user", "endpoint", "user"), rule("user-at-address", "ip", "user"), rule("per-ip", "ip"),
			rule("orders-per-ip", "endpoint", "ip"), rule("per-plan", "plan"));

	private static Rule rule(String id, String... scopes) {
		return new Rule(id, Selection.ALL_REQUESTS, Scope.of(scopes),
				new RuleLimits(new TokenBucket(new Rate(100, Rate.MAX_PERIOD)), Map.of()));
	}

	private static TestEvaluator evaluator(BucketStore store) {
		return TestEvaluator.of(RULES, Map.of(), new KeyHash(KeyHashing.NONE, null), store);
	}

	private static Verdict evaluate(TestEvaluator evaluator, SimpleCaller caller, String... rules) {
		return evaluator.evaluate(Stream.of(rules).map((rule) -> new MatchedRule(evaluator.rule(rule), null)).toList(),
				caller.to("POST", "/orders/{id}"));
	}

	@Test
	void allTiersOfAUserAreOneCall() {
		try (RedisCluster cluster = RedisCluster.start(); Instance instance = ClusterBuckets.denyingInstance(cluster)) {
			TestEvaluator evaluator = evaluator(instance.store);
			SimpleCaller ada = SimpleCaller.at("192.0.2.1").as("ada");
			evaluate(evaluator, ada, "per-user");
			ClusterBuckets.resetStatistics(cluster);
			for (int i = 0; i < 10; i++) {
				assertThat(evaluate(evaluator, ada, "per-user", "orders-per-user", "user-at-address").allowed())
					.isTrue();
			}
			assertThat(ClusterBuckets.calls(cluster.nodes())).isEqualTo(10);
			// With the address and the plan, there are three slots.
			assertThat(evaluate(evaluator, ada, "per-user", "orders-per-user", "per-ip", "orders-per-ip", "per-plan")
				.allowed()).isTrue();
			assertThat(ClusterBuckets.calls(cluster.nodes())).isEqualTo(13);
		}
	}

	/** An empty owner has no tag: buckets that all callers share are distributed. */
	@ParameterizedTest
	@ValueSource(strings = { " ", "{", "}", "{}", "}{", "{a}", "a}b", "%7d", "%", "a:b", "a|b", "\\", "\n",
			"\ud83d\ude00", "\ud83d", "*", "(none)" })
	void bucketsOfAnOwnerWithAnyCharactersShareASlot(String affinityKey) {
		List<String> names = names(new BucketKey("tier", affinityKey), new BucketKey("other-tier", affinityKey),
				new BucketKey("tier", affinityKey + "|{x}", affinityKey),
				new BucketKey("tier", "}{" + affinityKey, affinityKey), new BucketKey("tier", "", affinityKey));
		assertThat(names).doesNotHaveDuplicates();
		assertThat(names).extracting(ClusterBuckets::slot).containsOnly(ClusterBuckets.slot(names.get(0)));
		String tag = names.get(0).substring("tierlimit:tier:{".length(), names.get(0).length() - 1);
		assertThat(tag).isNotEmpty().doesNotContain("{", "}");
		assertThat(ClusterBuckets.slot(names.get(0))).isEqualTo(ClusterBuckets.slot(tag));
	}

	@Test
	void differentOwnersHaveDifferentNames() {
		List<String> odd = List.of("", "{", "}", "%7b", "%7B", "%257b", "\ud83d", "%ud83d", "\ud83d\ude00", "?", ":",
				"a", "a:a", "\n", "%0a");
		assertThat(odd.stream()
			.flatMap((affinityKey) -> names(new BucketKey("tier", affinityKey), new BucketKey("tier", "a", affinityKey))
				.stream())
			.distinct())
			// The owner a is the key a.
			.hasSize(2 * odd.size() - 1);
	}

	private static List<String> names(BucketKey... keys) {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"));
		return Stream.of(keys).map((key) -> ClusterBuckets.name(new Charge(key, limit, 1))).toList();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ada", "(ada)", "a|da", "{ada}", "\\", "" })
	void bucketNameIsTheSameForAllOperations(String user) {
		RecordingStore store = new RecordingStore();
		TestEvaluator evaluator = evaluator(store);
		evaluate(evaluator, SimpleCaller.at("192.0.2.1").as(user), "per-user", "orders-per-user", "user-at-address");
		evaluator.limiter()
			.tryAcquire(PermitRequest.of("per-user").user(user),
					PermitRequest.of("orders-per-user").user(user).endpoint("POST /orders/{id}"),
					PermitRequest.of("user-at-address").user(user).ip("192.0.2.1"));
		List<String> request = store.names.get(0);
		assertThat(store.names).hasSize(2).containsOnly(request);
		if (!user.isEmpty()) {
			assertThat(request).extracting(ClusterBuckets::slot).containsOnly(ClusterBuckets.slot(request.get(0)));
		}
	}

	/**
	 * Records the names of each acquisition in a cluster.
	 */
	private static final class RecordingStore extends DelegatingBucketStore {

		private final List<List<String>> names = new ArrayList<>();

		RecordingStore() {
			super(new InMemoryBucketStore(Ticker.system(), 100));
		}

		@Override
		public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
			this.names.add(charges.stream().map(ClusterBuckets::name).toList());
			return super.acquire(charges, failureFlag);
		}

	}

}
