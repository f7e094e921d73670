package io.tierlimit.store.memory;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Settlement;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BucketTests {

	private static final long NOW = 1_000_000;

	@Test
	void refundUnderAnotherLimitKeepsTheLimitOfTheLastCheck() {
		Bucket bucket = new Bucket(new BucketKey("rule", "key"));
		Limit ten = new TokenBucket(Rate.parse("1/d"), 10);
		ten.acquire(bucket, 6, NOW);
		bucket.decided(ten, false);
		assertThat(bucket.shareConsumed(NOW)).isEqualTo(0.6);
		bucket.settle(Settlement.refund(new Charge(bucket.key(), new TokenBucket(Rate.parse("1/d"), 100), 1)), NOW);
		assertThat(bucket.shareConsumed(NOW)).isEqualTo(0.5);
	}

	@Test
	void placesOfTheLongestLogFitIntoAByte() {
		assertThat(SlidingLog.MAX_PERMITS / BucketState.ENTRY_BLOCK + 1).isLessThan(Byte.MAX_VALUE);
	}

}
