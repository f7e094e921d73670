package io.tierlimit.store;

import java.util.List;
import java.util.Map;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Overrun;
import org.jspecify.annotations.Nullable;

/**
 * A store for sequential requests: it is not thread-safe, and never evicts a bucket.
 */
public final class SequentialBucketStore implements BucketStore {

	private final LockedBuckets buckets = new LockedBuckets();

	private final Ticker ticker;

	/**
	 * Creates a store in which every bucket is full.
	 * @param ticker the clock
	 */
	public SequentialBucketStore(Ticker ticker) {
		this.ticker = ticker;
	}

	@Override
	public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
		return this.buckets.acquire(charges, this.ticker.ticks());
	}

	@Override
	public AcquireResult peek(List<Charge> charges) {
		return this.buckets.peek(charges, this.ticker.ticks());
	}

	@Override
	public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
		return this.buckets.settle(settlements, this.ticker.ticks());
	}

	@Override
	public boolean reset(BucketKey key, StoreFailureFlag failureFlag) {
		this.buckets.reset(key, this.ticker.ticks());
		return true;
	}

	@Override
	public boolean refill(BucketKey key, StoreFailureFlag failureFlag) {
		this.buckets.refill(key, this.ticker.ticks());
		return true;
	}

	@Override
	public Map<BucketKey, Ban> bans(String rule, int most) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean resetAll(String rule) {
		this.buckets.states()
			.keySet()
			.stream()
			.filter((key) -> key.rule().equals(rule))
			.forEach((key) -> reset(key, new StoreFailureFlag()));
		return true;
	}

	/** A bucket's state; {@code null} for a bucket from which nothing was acquired. */
	public @Nullable BucketState state(BucketKey key) {
		return this.buckets.states().get(key);
	}

}
