package io.tierlimit.store.redis;

import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The first requests that an instance decides on a Redis Cluster.
 */
class ClusterStartTests extends RedisClusterTest {

	private static final int THREADS = 16;

	private static final TokenBucket TEN = new TokenBucket(new Rate(10, Rate.MAX_PERIOD));

	@Test
	void everyMasterIsConnectedBeforeTheFirstRequest() throws Exception {
		for (int start = 0; start < 3; start++) {
			AtomicInteger keys = new AtomicInteger();
			try (Instance instance = new Instance(ClusterBuckets.factory(cluster), ClusterBuckets.DENYING)) {
				Crowd.run(THREADS, (member) -> {
					for (int i = 0; i < 10; i++) {
						instance.acquire(new Charge(new BucketKey("start", "key-" + keys.incrementAndGet()), TEN, 1));
					}
					return 0;
				});
				assertThat(instance.all()).isEqualTo(Tally.stored(THREADS * 10, THREADS * 10));
			}
			ClusterBuckets.empty(cluster);
		}
	}

}
