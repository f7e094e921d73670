package io.tierlimit.store.memory;

import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the entries of logs, which take places of an {@link InMemoryBucketStore}.
 */
// If a request searches for its buckets forever, the test fails instead of hanging.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogEntriesTests {

	private static final long SECOND = 1_000_000;

	private static final Limit LOG = new SlidingLog(Rate.parse("100/10s"));

	private static final long DAY = 24 * 3600 * SECOND;

	private static final int PLACES = 12;

	private static final TokenBucket ONE = new TokenBucket(Rate.parse("1/d"), 1);

	private static final TokenBucket TEN = new TokenBucket(Rate.parse("1/d"), 10);

	private final SimulatedTicker ticker = new SimulatedTicker();

	@Test
	void twentyFiveEntriesTakeOnePlace() {
		InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 10);
		acquire(store, "a", LOG, 75);
		for (int i = 0; i < 7; i++) {
			acquire(store, "other " + i, TEN, 1);
		}
		assertThat(store.evictions()).isZero();
		acquire(store, "one too many", TEN, 1);
		assertThat(store.evictions()).isEqualTo(1);
	}

	@Test
	void expiredEntriesReleaseTheirPlaces() {
		InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 10);
		acquire(store, "a", LOG, 100);
		this.ticker.advance(10 * SECOND);
		acquire(store, "a", LOG, 1);
		for (int i = 0; i < 9; i++) {
			acquire(store, "other " + i, TEN, 1);
		}
		assertThat(store.evictions()).isZero();
		assertThat(store.size()).isEqualTo(10);
	}

	@Test
	void evictedLogReleasesAllItsPlaces() {
		InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 5);
		acquire(store, "a", LOG, 99);
		acquire(store, "b", TEN, 10);
		acquire(store, "evicts a", TEN, 10);
		for (int i = 0; i < 3; i++) {
			acquire(store, "other " + i, TEN, 10);
		}
		assertThat(store.size()).isEqualTo(5);
		assertThat(store.evictions()).isEqualTo(1);
	}

	@Test
	void fullLogTakesNoMorePlacesOverTime() {
		InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 10);
		for (int i = 0; i < 5; i++) {
			acquire(store, "other " + i, TEN, 1);
		}
		acquire(store, "a", LOG, 100);
		for (int i = 0; i < 1000; i++) {
			this.ticker.advance(SECOND / 10);
			acquire(store, "a", LOG, 1);
		}
		assertThat(store.evictions()).isZero();
	}

	@Test
	void logWithoutRoomStaysWithinItsLimit() {
		InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 1);
		assertThat(acquire(store, "a", LOG, 200)).isEqualTo(100);
		this.ticker.advance(10 * SECOND - 200);
		// The first 24 charges have their own entries. All others share the last entry.
		assertThat(acquire(store, "a", LOG, 25)).isEqualTo(24);
		this.ticker.advance(10 * SECOND);
		assertThat(acquire(store, "a", LOG, 200)).isEqualTo(100);
		assertThat(store.evictions()).isZero();
	}

	@Test
	void logWithoutRoomRefundsAtMostItsEntries() {
		InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 1);
		acquire(store, "a", LOG, 50);
		AcquireResult result = store.acquire(List.of(charge("a", LOG)), new StoreFailureFlag());
		this.ticker.advance(1);
		acquire(store, "a", LOG, 49);
		store.refund(result.charges(), new StoreFailureFlag());
		assertThat(acquire(store, "a", LOG, 1)).isZero();
	}

	/**
	 * A place becomes free after the key of a request has not found one. The entry of the
	 * request in the overflow bucket does not take the free place.
	 */
	@ParameterizedTest
	@MethodSource("places")
	void entriesOfAnOverflowBucketTakeNoPlaces(int room) {
		InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, PLACES);
		for (int i = 0; i < PLACES; i++) {
			acquire(store, "exhausted " + i, ONE, 1);
		}
		assertThat(acquire(store, "shares", LOG, 30)).isEqualTo(30);
		store.reset(new BucketKey("per-user", "exhausted " + room), new StoreFailureFlag());
		acquire(store, "shares", LOG, 30);
		this.ticker.advance(2 * DAY);
		for (int i = 0; i < PLACES; i++) {
			acquire(store, "own " + i, TEN, 1);
		}
		assertThat(store.evictions()).isZero();
		assertThat(store.size()).isEqualTo(PLACES);
	}

	static IntStream places() {
		return IntStream.range(0, PLACES);
	}

	@Test
	void sharedLogCountsEveryEntryForItsWholePeriod() {
		InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 1);
		acquire(store, "exhausted", ONE, 1);
		assertThat(acquire(store, "shares", LOG, 200)).isEqualTo(100);
		this.ticker.advance(10 * SECOND - 200);
		assertThat(acquire(store, "shares", LOG, 50)).isEqualTo(50);
	}

	/** Makes requests, one per tick, and counts the admitted requests. */
	private int acquire(InMemoryBucketStore store, String key, Limit limit, int requests) {
		int admitted = 0;
		for (int i = 0; i < requests; i++) {
			this.ticker.advance(1);
			admitted += store.acquire(List.of(charge(key, limit)), new StoreFailureFlag()).admitted() ? 1 : 0;
		}
		return admitted;
	}

	private static Charge charge(String key, Limit limit) {
		return new Charge(new BucketKey("per-user", key), limit, 1);
	}

}
