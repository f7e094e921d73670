package io.tierlimit.event;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.tierlimit.limit.Limit;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.StoreBudget;
import io.tierlimit.spi.Ticker;
import io.tierlimit.store.DirectMappedTable;
import io.tierlimit.store.InMemoryBucketStore;

/**
 * Limits how many rejections are published: one for each bucket in an interval, and all
 * together by a rate. A fixed number of slots stores the last rejections. Another bucket
 * with the same slot replaces the entry, so a flood of keys uses no memory.
 */
public final class RejectionThrottle {

	private static final int PLACES = 1 << 12;

	private final DirectMappedTable<Published> last = new DirectMappedTable<>(PLACES);

	private final Ticker ticker;

	private final long interval;

	private final InMemoryBucketStore bucket;

	private final List<Charge> one;

	/**
	 * Creates a throttle.
	 * @param ticker the clock
	 * @param interval the time between two rejections of the same bucket; 0 for all
	 * @param limit the limit of all buckets together
	 */
	public RejectionThrottle(Ticker ticker, Duration interval, Limit limit) {
		this.ticker = ticker;
		this.interval = TimeUnit.MICROSECONDS.convert(interval);
		this.bucket = new InMemoryBucketStore(ticker, 1);
		this.one = List.of(new Charge(new BucketKey("rejections", ""), limit, 1));
	}

	boolean admits(BucketKey rejected) {
		Published last = this.last.get(rejected);
		long now = this.ticker.ticks();
		if (last != null && last.key().equals(rejected) && now - last.at() < this.interval) {
			return false;
		}
		return this.bucket.acquire(this.one, new StoreBudget()).admitted()
				&& this.last.replace(rejected, last, new Published(rejected, now));
	}

	private record Published(BucketKey key, long at) {

	}

}
