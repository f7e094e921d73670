package io.tierlimit.event;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many rejections are published: one for each bucket in an interval, and all
 * together by a rate. A fixed number of slots stores the last rejections. Another bucket
 * with the same slot replaces the entry, so a flood of keys uses no memory.
 */
public final class RejectionThrottle {

	private static final int PLACES = 1 << 12;

	private final AtomicReferenceArray<@Nullable Published> last = new AtomicReferenceArray<>(PLACES);

	private final Ticker ticker;

	private final long interval;

	private final Limit limit;

	/** The bucket of all rejections, and the lock of its numbers. */
	private final BucketState bucket;

	/**
	 * Creates a throttle.
	 * @param ticker the clock
	 * @param interval the time between two rejections of the same bucket; 0 for all
	 * @param limit the limit of all buckets together
	 */
	public RejectionThrottle(Ticker ticker, Duration interval, Limit limit) {
		this.ticker = ticker;
		this.interval = TimeUnit.MICROSECONDS.convert(interval);
		this.limit = limit;
		this.bucket = new BucketState(ticker.ticks());
	}

	boolean admits(BucketKey rejected) {
		// The upper bits depend on the whole hash.
		int place = (int) (rejected.windowSeed() >>> Integer.SIZE) % PLACES;
		Published last = this.last.get(place);
		long now = this.ticker.ticks();
		if (last != null && last.key().equals(rejected) && now - last.at() < this.interval) {
			return false;
		}
		return acquire(now) && this.last.compareAndSet(place, last, new Published(rejected, now));
	}

	private boolean acquire(long now) {
		synchronized (this.bucket) {
			return this.limit.acquire(this.bucket, 1, now).allowed();
		}
	}

	private record Published(BucketKey key, long at) {

	}

}
