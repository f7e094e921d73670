package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.shard.ShardedBuckets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a bucket with shards while Redis is not available.
 */
@Tag("slow")
class ShardFallbackTests {

	private static final TokenBucket LIMIT = new TokenBucket(Rate.parse("10/90d"), 10);

	private static final BucketKey KEY = new BucketKey("all", "").spread(8);

	private static final Charge CHARGE = new Charge(KEY, LIMIT, 1);

	@Test
	void instanceUsesOneBucketWithItsShareOfTheWholeLimit() {
		RedisStoreSettings half = new RedisStoreSettings("tierlimit", TestConnections.TIMEOUT, StoreFailurePolicy.LOCAL,
				new BigDecimal("0.5"), 0);
		RedisServer server = RedisServer.start();
		try (Instance instance = Instance.on(server.port(), half)) {
			ShardedBuckets buckets = new ShardedBuckets(instance.store, instance.ticker);
			AcquireResult before = acquire(buckets, CHARGE);
			assertThat(before.source()).isEqualTo(Source.STORE);
			server.close();
			List<AcquireResult> admitted = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				AcquireResult result = acquire(buckets, CHARGE);
				assertThat(result.source()).isEqualTo(Source.FALLBACK);
				if (result.admitted()) {
					admitted.add(result);
				}
			}
			assertThat(admitted).hasSize(5);
			assertThat(admitted.get(0).limit(0).capacity()).isEqualTo(5);
			assertThat(admitted).extracting((result) -> result.decisions().get(0).remaining())
				.containsExactly(4L, 3L, 2L, 1L, 0L);
			buckets.refund(admitted.get(0).charges(), new StoreFailureFlag());
			assertThat(buckets.peek(List.of(CHARGE)).decisions()).extracting(Decision::remaining).containsExactly(0L);
			assertThat(instance.leftLocally(new Charge(KEY, LIMIT, 0))).isPositive();
			// A cost above the burst of a shard is divided into several charges.
			assertThat(acquire(buckets, new Charge(KEY, LIMIT, 2)).admitted()).isFalse();
			assertThat(acquire(buckets, CHARGE).admitted()).isTrue();
			assertThat(acquire(buckets, CHARGE).admitted()).isFalse();
			assertThat(buckets.reset(KEY, new StoreFailureFlag())).isFalse();
			assertThat(acquire(buckets, new Charge(KEY, LIMIT, 5)).admitted()).isTrue();
			assertThat(acquire(buckets, CHARGE).admitted()).isFalse();
		}
	}

	private static AcquireResult acquire(ShardedBuckets buckets, Charge charge) {
		return buckets.acquire(List.of(charge), new StoreFailureFlag());
	}

}
