package io.tierlimit.event;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many rejections are published: one rejection for each bucket in an interval,
 * and a maximum rate for all buckets together. A fixed number of slots stores the last
 * rejections. If two buckets have the same slot, the later rejection replaces the earlier
 * one. Therefore, a flood of keys does not increase the memory usage.
 */
public final class RejectionThrottle {

	/** The rate of all buckets together. */
	private static final Rate RATE = Rate.parse("100/s");

	private static final int SLOTS = 1 << 12;

	private final AtomicReferenceArray<@Nullable Published> slots = new AtomicReferenceArray<>(SLOTS);

	private final Ticker ticker;

	private final long interval;

	private final Limit limit;

	/** The bucket of all rejections. It is also the lock that guards its state. */
	private final BucketState bucket;

	/**
	 * Creates a throttle that publishes 100 rejections of all buckets together in a
	 * second.
	 * @param ticker the clock
	 * @param interval the time between two rejections of the same bucket; 0 publishes all
	 * rejections, up to the rate
	 */
	public RejectionThrottle(Ticker ticker, Duration interval) {
		this(ticker, interval, new TokenBucket(RATE));
	}

	/**
	 * Creates a throttle.
	 * @param ticker the clock
	 * @param interval the time between two rejections of the same bucket; 0 publishes all
	 * rejections
	 * @param limit the limit of all buckets together
	 */
	RejectionThrottle(Ticker ticker, Duration interval, Limit limit) {
		this.ticker = ticker;
		this.interval = TimeUnit.MICROSECONDS.convert(interval);
		this.limit = limit;
		this.bucket = new BucketState(ticker.ticks());
	}

	boolean admits(BucketKey rejected) {
		// The seed is 0 or more, and its upper bits depend on the whole hash of the key.
		int slot = (int) (rejected.windowSeed() >>> Integer.SIZE) % SLOTS;
		Published last = this.slots.get(slot);
		long now = this.ticker.ticks();
		if (last != null && last.key().equals(rejected) && now - last.at() < this.interval) {
			return false;
		}
		return acquire(now) && this.slots.compareAndSet(slot, last, new Published(rejected, now));
	}

	private boolean acquire(long now) {
		synchronized (this.bucket) {
			return this.limit.acquire(this.bucket, 1, now).allowed();
		}
	}

	private record Published(BucketKey key, long at) {

	}

}
