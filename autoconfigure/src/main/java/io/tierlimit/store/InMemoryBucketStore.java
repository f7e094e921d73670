package io.tierlimit.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Receipt;
import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.StoreBudget;
import io.tierlimit.spi.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Buckets in this instance's memory.
 * <p>
 * Every bucket has a lock that covers some arithmetic and nothing else. A request
 * acquires the locks of its buckets in the order of their keys, one level of recursion
 * per bucket. With the last lock, all buckets have been checked and the request is
 * decided; on the way back each bucket is charged and unlocked. No lock is acquired after
 * one was released, so requests are serializable, and no request is rejected because of a
 * charge of another request that is rejected itself. The recursion avoids an array of
 * locked buckets: only the result is allocated. Buckets are created and removed without
 * any lock, or without waiting for one. If a bucket is missing once the locks are
 * acquired, the request goes back to create it.
 * <p>
 * Permits from an overflow bucket are refunded to it, by the charges in the result. A key
 * can neither reset its overflow bucket nor see it in a peek, because the bucket is not
 * its own.
 */
public final class InMemoryBucketStore implements BucketStore, BucketCounts {

	private final Ticker ticker;

	private final BucketMap buckets;

	/**
	 * Creates an empty store.
	 * @param ticker the clock; read once per request
	 * @param maxBuckets the maximum number of buckets, 1 or more
	 */
	public InMemoryBucketStore(Ticker ticker, int maxBuckets) {
		this.ticker = ticker;
		this.buckets = new BucketMap(maxBuckets);
	}

	@Override
	public AcquireResult acquire(List<Charge> charges, StoreBudget budget) {
		long now = this.ticker.ticks();
		AcquireResult result = acquireInOrder(charges, null, true, now);
		while (result == null) {
			result = acquireInOrder(withBuckets(charges, now), null, true, now);
		}
		return result;
	}

	/**
	 * Decides a charge and all that follow, in the order of their keys.
	 * @return the result, complete for these charges; {@code null} if a bucket is missing
	 */
	private @Nullable AcquireResult acquireInOrder(List<Charge> charges, @Nullable BucketKey previous,
			boolean allowedSoFar, long now) {
		Charge charge = next(charges, previous);
		if (charge == null) {
			return emptyResult(charges, allowedSoFar);
		}
		Bucket bucket = this.buckets.get(charge.key());
		if (bucket == null) {
			return null;
		}
		bucket.lock.lock();
		try {
			if (bucket.removed) {
				return null;
			}
			Limit limit = charge.limit();
			BucketState state = bucket.state;
			long cost = sum(charges, charge.key());
			Overdraft overdraft = charge.options().overdraft();
			boolean enough = limit.allows(state, cost, overdraft, now);
			boolean allows = charge.shadow() || enough;
			AcquireResult result = acquireInOrder(charges, charge.key(), allowedSoFar && allows, now);
			if (result != null) {
				bucket.rejected = !enough || (bucket.rejected && !limit.isFull(state, now));
				if (result.admitted()) {
					this.buckets.makeRoomForEntry(bucket, limit, now);
				}
				Decision decision = result.admitted() ? limit.acquire(state, cost, overdraft, now)
						: limit.inspect(state, cost, overdraft, now);
				this.buckets.countPlaces(bucket);
				bucket.limit = limit;
				bucket.pending = false;
				Receipt receipt = (result.admitted() && decision.allowed()) ? state.receipt() : null;
				fill(result, charges, charge.key(), decision, receipt);
			}
			return result;
		}
		finally {
			bucket.lock.unlock();
		}
	}

	/** The result for a decided request; each charge adds its own decision. */
	private static AcquireResult emptyResult(List<Charge> charges, boolean admitted) {
		List<@Nullable Decision> decisions = Arrays.asList(new Decision[charges.size()]);
		return new AcquireResult(admitted, decisions, admitted ? Arrays.asList(new Charge[charges.size()]) : charges);
	}

	private static void fill(AcquireResult result, List<Charge> charges, BucketKey key, Decision decision,
			@Nullable Receipt receipt) {
		for (int i = 0; i < charges.size(); i++) {
			Charge charge = charges.get(i);
			if (charge.key().equals(key)) {
				result.decisions().set(i, decision);
				if (result.admitted()) {
					result.charges().set(i, (receipt != null) ? charge.acquired(receipt) : charge);
				}
			}
		}
	}

	/** The charge with the lowest key after the previous one. */
	private static @Nullable Charge next(List<Charge> charges, @Nullable BucketKey previous) {
		Charge next = null;
		for (int i = 0; i < charges.size(); i++) {
			Charge charge = charges.get(i);
			boolean after = previous == null || charge.key().compareTo(previous) > 0;
			if (after && (next == null || charge.key().compareTo(next.key()) < 0)) {
				next = charge;
			}
		}
		return next;
	}

	private static long sum(List<Charge> charges, BucketKey key) {
		long sum = 0;
		for (int i = 0; i < charges.size(); i++) {
			Charge charge = charges.get(i);
			if (charge.key().equals(key)) {
				sum = (charge.cost() > Long.MAX_VALUE - sum) ? Long.MAX_VALUE : sum + charge.cost();
			}
		}
		return sum;
	}

	/** Creates the missing buckets; without room, charges the overflow bucket. */
	private List<Charge> withBuckets(List<Charge> charges, long now) {
		List<Charge> found = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			Bucket bucket = this.buckets.getOrCreate(charge.key(), charge.limit(), now);
			found.add(bucket.key.equals(charge.key()) ? charge : charge.on(bucket.key));
		}
		return found;
	}

	@Override
	public AcquireResult peek(List<Charge> charges) {
		long now = this.ticker.ticks();
		List<@Nullable Decision> decisions = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			Decision decision = onBucket(charge.key(), (bucket) -> peek(charge, bucket.state, now));
			decisions.add(
					(decision != null) ? decision : peek(charge, new BucketState(now, charge.key().windowSeed()), now));
		}
		return new AcquireResult(true, decisions, charges);
	}

	private static Decision peek(Charge charge, BucketState state, long now) {
		return charge.limit().peek(state, charge.cost(), charge.options().overdraft(), now);
	}

	@Override
	public void refund(List<Charge> charges, StoreBudget budget) {
		long now = this.ticker.ticks();
		for (Charge charge : charges) {
			onBucket(charge.key(), (bucket) -> {
				charge.limit().refund(bucket.state, charge.cost(), charge.receipt(), now);
				return bucket;
			});
		}
	}

	@Override
	public boolean reset(BucketKey key, StoreBudget budget) {
		resetBucket(key);
		return true;
	}

	private void resetBucket(BucketKey key) {
		long now = this.ticker.ticks();
		onBucket(key, (bucket) -> {
			bucket.state.reset(now);
			return bucket;
		});
	}

	@Override
	public boolean resetAll(String rule) {
		this.buckets.keysOf(rule).forEach(this::resetBucket);
		return true;
	}

	/** Runs an operation with the lock of a bucket, if the bucket exists. */
	private <R> @Nullable R onBucket(BucketKey key, Function<Bucket, R> operation) {
		for (Bucket bucket = this.buckets.get(key); bucket != null; bucket = this.buckets.get(key)) {
			bucket.lock.lock();
			try {
				if (!bucket.removed) {
					return operation.apply(bucket);
				}
			}
			finally {
				bucket.lock.unlock();
			}
		}
		return null;
	}

	@Override
	public String name() {
		return "memory";
	}

	@Override
	public int size() {
		return this.buckets.size();
	}

	@Override
	public long evictions() {
		return this.buckets.evictions();
	}

	@Override
	public long overflows() {
		return this.buckets.overflows();
	}

}
