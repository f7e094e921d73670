package io.tierlimit.event;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.tierlimit.limit.Limit;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.Ticker;
import io.tierlimit.spi.Waits;
import io.tierlimit.store.DirectMappedTable;
import io.tierlimit.store.InMemoryBucketStore;

/**
 * Says which refusals are told: of each bucket one in a while, and of all together not
 * more than a limit. Every bucket has one of some thousand places, which it loses to any
 * other that has the same: so a flood of keys takes no memory, and is held by the limit.
 */
public final class RefusalThrottle {

	private static final int PLACES = 1 << 12;

	private final DirectMappedTable<Published> last = new DirectMappedTable<>(PLACES);

	private final Ticker ticker;

	private final long interval;

	private final InMemoryBucketStore bucket;

	private final List<Charge> one;

	/**
	 * Creates a throttle.
	 * @param ticker the clock
	 * @param interval how long nothing more is told of the same bucket; 0 for no pause
	 * @param limit how much is told of all buckets together
	 */
	public RefusalThrottle(Ticker ticker, Duration interval, Limit limit) {
		this.ticker = ticker;
		this.interval = TimeUnit.MICROSECONDS.convert(interval);
		this.bucket = new InMemoryBucketStore(ticker, 1);
		this.one = List.of(new Charge(new BucketKey("refusals", ""), limit, 1));
	}

	boolean admits(BucketKey refused) {
		Published last = this.last.get(refused);
		long now = this.ticker.ticks();
		if (last != null && last.key().equals(refused) && now - last.at() < this.interval) {
			return false;
		}
		return this.bucket.acquire(this.one, new Waits()).admitted()
				&& this.last.replace(refused, last, new Published(refused, now));
	}

	private record Published(BucketKey key, long at) {

	}

}
