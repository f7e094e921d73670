package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for limits that several instances share by {@link RedisBucketStore}.
 */
class SharedLimitTests extends RedisServerTest {

	private static final int THREADS = 4;

	@Test
	void instancesWithDifferentClocksShareLimits() throws Exception {
		Charge narrow = Instance.of(300, "narrow");
		Charge wide = Instance.of(1000, "wide");
		try (Instance first = Instance.on(this.server.port()); Instance second = Instance.on(this.server.port())) {
			second.ticker.advance(Duration.ofHours(1));
			Crowd.run(THREADS, (member) -> {
				Instance instance = (member % 2 == 0) ? first : second;
				return instance.request(250, narrow, wide).admitted();
			});
			assertThat(first.all().and(second.all())).isEqualTo(Tally.stored(1000, 300));
			assertThat(first.left(narrow)).isZero();
			assertThat(second.left(wide)).isEqualTo(700);
			assertThat(first.local.size() + second.local.size()).isZero();
		}
	}

	@Test
	void allKeysExpireAfterAStorm() throws Exception {
		Instance instance = use(Instance.on(this.server.port()));
		Crowd.run(THREADS, (member) -> {
			for (int i = 0; i < 500; i++) {
				storm(instance);
			}
			return 0;
		});
		assertThat(instance.all().stored()).isEqualTo(THREADS * 500);
		assertThat(keys()).isNotEmpty()
			.allSatisfy((key) -> assertThat(Long.parseLong(this.server.command("PTTL", key)))
				// A key that has expired in the meantime is ignored.
				.isNotEqualTo(-1));
		Poll.until(() -> this.server.command("DBSIZE").equals("0"), () -> "left: " + keys());
	}

	/** Acquires, refunds and resets, on buckets that are full again in 100 to 600 ms. */
	private static void storm(Instance instance) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		Charge first = brief(random.nextInt(50), 100);
		Charge second = brief(random.nextInt(50), 600);
		AcquireResult result = instance.acquire(first, second);
		if (result.admitted() && random.nextInt(4) == 0) {
			instance.refund(result);
		}
		if (random.nextInt(20) == 0) {
			instance.store.reset(first.key(), new StoreFailureFlag());
		}
		if (random.nextInt(100) == 0) {
			instance.store.resetAll("full-after-100");
		}
	}

	private static Charge brief(int key, int millis) {
		TokenBucket limit = new TokenBucket(new Rate(20, Duration.ofMillis(millis)));
		return new Charge(new BucketKey("full-after-" + millis, "key-" + key), limit, 1);
	}

	private List<String> keys() {
		return Arrays.asList(this.server.command("KEYS", "*").split("\n", -1));
	}

}
