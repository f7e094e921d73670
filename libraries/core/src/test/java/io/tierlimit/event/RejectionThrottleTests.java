package io.tierlimit.event;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Crowd;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RejectionThrottleTests {

	private final SimulatedTicker ticker = new SimulatedTicker();

	@Test
	void rejectionsOfABucketArePublishedOnceInAnInterval() {
		RejectionThrottle throttle = throttle(Duration.ofSeconds(10), "100/s");
		assertThat(throttle.admits(key("ada"))).isTrue();
		assertThat(throttle.admits(key("ada"))).isFalse();
		assertThat(throttle.admits(key("eve"))).isTrue();
		this.ticker.advance(Duration.ofSeconds(10).minusNanos(1000));
		assertThat(throttle.admits(key("ada"))).isFalse();
		this.ticker.advance(Duration.ofNanos(1000));
		assertThat(throttle.admits(key("ada"))).isTrue();
		assertThat(throttle.admits(key("ada"))).isFalse();
	}

	@Test
	void limitOfAllBucketsBoundsAFloodOfKeys() {
		RejectionThrottle throttle = throttle(Duration.ofSeconds(10), "100/s");
		assertThat(flood(throttle, 100_000)).isEqualTo(100);
		this.ticker.advance(Duration.ofSeconds(3));
		assertThat(flood(throttle, 100_000)).as("no more than the burst adds up").isEqualTo(100);
	}

	@Test
	void limitOfAllBucketsAppliesWithoutAnInterval() {
		RejectionThrottle throttle = throttle(Duration.ZERO, "3/s");
		for (int i = 0; i < 10; i++) {
			assertThat(throttle.admits(key("ada"))).isEqualTo(i < 3);
		}
	}

	@Test
	void manyThreadsPublishARejectionOfABucketOnce() throws Exception {
		RejectionThrottle throttle = throttle(Duration.ofSeconds(10), "1000/s");
		List<Integer> published = Crowd.run(4, (member) -> {
			int mine = 0;
			for (int i = 0; i < 1000; i++) {
				mine += throttle.admits(key("ada")) ? 1 : 0;
			}
			return mine;
		});
		assertThat(published.stream().mapToInt(Integer::intValue).sum()).isOne();
	}

	@Test
	void threadsWithDifferentBucketsPublishNoMoreThanTheLimit() throws Exception {
		for (int round = 0; round < 300; round++) {
			RejectionThrottle throttle = throttle(Duration.ofSeconds(10), "1/s");
			assertThat(Crowd.run(2, (member) -> throttle.admits(key("bot" + member)) ? 1 : 0))
				.containsExactlyInAnyOrder(0, 1);
		}
	}

	@Test
	void bucketInTheSameSlotReplacesTheLastRejection() {
		RejectionThrottle throttle = throttle(Duration.ofSeconds(10), "100000/s");
		assertThat(throttle.admits(key("ada"))).isTrue();
		BucketKey neighbour = IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> key("bob" + i))
			.filter((key) -> place(key) == place(key("ada")))
			.findFirst()
			.orElseThrow();
		assertThat(throttle.admits(neighbour)).isTrue();
		assertThat(throttle.admits(neighbour)).isFalse();
		assertThat(throttle.admits(key("ada"))).as("its entry was replaced").isTrue();
	}

	private static long place(BucketKey key) {
		return (key.windowSeed() >>> Integer.SIZE) % 4096;
	}

	private static int flood(RejectionThrottle throttle, int keys) {
		int published = 0;
		for (int i = 0; i < keys; i++) {
			published += throttle.admits(key("bot" + i)) ? 1 : 0;
		}
		return published;
	}

	private RejectionThrottle throttle(Duration interval, String rate) {
		return new RejectionThrottle(this.ticker, interval, new TokenBucket(Rate.parse(rate)));
	}

	private static BucketKey key(String key) {
		return new BucketKey("rule", key);
	}

}
