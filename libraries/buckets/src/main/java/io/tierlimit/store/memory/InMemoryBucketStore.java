package io.tierlimit.store.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.stream.IntStream;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Holder;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overrun;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketCounts;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.OverdueHolders;
import io.tierlimit.store.PermitHolder;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Buckets in this instance's memory.
 * <p>
 * Every bucket has a lock that covers some arithmetic and nothing else. A request
 * acquires the locks of its buckets in the order of their keys, one level of recursion
 * per bucket. With the last lock, all buckets have been checked and the request is
 * decided; on the way back each bucket is charged and unlocked. No lock is acquired after
 * another lock was released, so requests are serializable: a rejected request never
 * affects the decision on another request. The recursion avoids an array of locked
 * buckets: only the result is allocated. Buckets are created and removed by threads that
 * have no lock, or that do not wait for another lock. If a bucket is missing once the
 * locks are acquired, the request releases them, creates the bucket, and starts again.
 * <p>
 * Permits from an overflow bucket are refunded to it, because the charges in the result
 * have its key. A reset or a peek of a key does not affect or show its overflow bucket,
 * because other keys share the bucket.
 */
public final class InMemoryBucketStore implements BucketStore, BucketCounts {

	private final Ticker ticker;

	private final BucketMap buckets;

	private final OverdueHolders overdue = new OverdueHolders(InMemoryBucketStore.class);

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
	public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
		long now = this.ticker.ticks();
		AcquireResult result = acquire(charges, now);
		while (result == null) {
			result = acquire(withBuckets(charges, now), now);
		}
		return result;
	}

	/** The result; {@code null} if a bucket is missing. */
	private @Nullable AcquireResult acquire(List<Charge> charges, long now) {
		return (charges.size() > LockOrder.MAX_CHARGES) ? acquireMany(charges, now)
				: acquire(charges, LockOrder.of(charges), now);
	}

	private @Nullable AcquireResult acquire(List<Charge> charges, long order, long now) {
		Decision[] decisions = new Decision[charges.size()];
		long[] receipts = new long[2 * decisions.length];
		return switch (acquire(0, order, charges, true, now, decisions, receipts)) {
			case ADMITTED -> AcquireResult.admitted(charges, decisions, receipts);
			case REJECTED -> AcquireResult.rejected(charges, decisions);
			case BUCKET_MISSING -> null;
		};
	}

	/** Sorts the charges, and returns the result in the original order. */
	private @Nullable AcquireResult acquireMany(List<Charge> charges, long now) {
		List<Integer> order = IntStream.range(0, charges.size())
			.boxed()
			.sorted(Comparator.comparing((index) -> charges.get(index).key()))
			.toList();
		AcquireResult result = acquire(order.stream().map(charges::get).toList(), LockOrder.SORTED, now);
		if (result == null) {
			return null;
		}
		List<Integer> positions = IntStream.range(0, order.size()).map(order::indexOf).boxed().toList();
		return new AcquireResult(result.admitted(), positions.stream().map(result::decision).toList(),
				positions.stream().map(result::charge).toList());
	}

	/** Decides the charge at a position of the order, and all following charges. */
	private Attempt acquire(int position, long order, List<Charge> charges, boolean allowedSoFar, long now,
			Decision[] decisions, long[] receipts) {
		if (position == decisions.length) {
			return allowedSoFar ? Attempt.ADMITTED : Attempt.REJECTED;
		}
		Charge charge = charges.get(LockOrder.index(order, position));
		Bucket bucket = this.buckets.find(charge.key());
		if (bucket == null) {
			return Attempt.BUCKET_MISSING;
		}
		int end = position + 1;
		while (end < decisions.length && charges.get(LockOrder.index(order, end)).key().equals(charge.key())) {
			charge = charge.plus(charges.get(LockOrder.index(order, end)));
			end++;
		}
		bucket.lock();
		try {
			if (bucket.isRemoved()) {
				return Attempt.BUCKET_MISSING;
			}
			Limit limit = charge.limit();
			boolean enough = charge.isAllowed(bucket, now);
			Attempt attempt = acquire(end, order, charges, allowedSoFar && (enough || charge.shadow()), now, decisions,
					receipts);
			if (attempt == Attempt.BUCKET_MISSING) {
				return attempt;
			}
			boolean admitted = attempt == Attempt.ADMITTED;
			boolean rejected = !enough || (bucket.rejected && !limit.isFull(bucket, now));
			if (admitted) {
				this.buckets.makeRoomForEntry(bucket, limit, now);
			}
			Decision decision = (admitted && enough) ? charge.acquire(bucket, now) : charge.reject(bucket, now);
			this.buckets.countPlaces(bucket);
			bucket.decided(limit, rejected);
			for (int i = position; i < end; i++) {
				int index = LockOrder.index(order, i);
				decisions[index] = decision;
				bucket.writeReceipt(receipts, index);
			}
			return attempt;
		}
		finally {
			bucket.unlock();
		}
	}

	/** Creates the missing buckets; without room, charges the overflow bucket. */
	private List<Charge> withBuckets(List<Charge> charges, long now) {
		List<Charge> found = charges;
		for (int i = 0; i < charges.size(); i++) {
			Charge charge = charges.get(i);
			Bucket bucket = this.buckets.getOrCreate(charge.key(), charge.limit(), now);
			if (!bucket.isOf(charge.key())) {
				found = (found == charges) ? new ArrayList<>(charges) : found;
				// A ban of the overflow bucket would block all keys without room.
				found.set(i, charge.on(bucket.key()).withoutBan());
			}
		}
		return found;
	}

	@Override
	public AcquireResult peek(List<Charge> charges) {
		long now = this.ticker.ticks();
		List<@Nullable Decision> decisions = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			Decision decision = onBucket(charge.key(), (bucket) -> charge.peek(bucket, now));
			decisions
				.add((decision != null) ? decision : charge.peek(new BucketState(now, charge.key().windowSeed()), now));
		}
		return new AcquireResult(true, decisions, charges);
	}

	@Override
	public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
		long now = this.ticker.ticks();
		List<Overrun> overruns = new ArrayList<>(settlements.size());
		for (Settlement settlement : settlements) {
			Charge charge = settlement.charge();
			this.overdue.warnIfOverdue(charge, now);
			Overrun overrun = onBucket(charge.key(), (bucket) -> bucket.settle(settlement, now));
			// Without room for the bucket, the overflow bucket has the further permits.
			while (overrun == null && settlement.consumes()) {
				BucketKey key = this.buckets.getOrCreate(charge.key(), charge.limit(), now).key();
				overrun = onBucket(key, (bucket) -> bucket.settle(settlement, now));
			}
			overruns.add((overrun != null) ? overrun : Overrun.NONE);
		}
		return overruns;
	}

	@Override
	public boolean reset(BucketKey key, StoreFailureFlag failureFlag) {
		return change(key, Bucket::reset);
	}

	@Override
	public boolean refill(BucketKey key, StoreFailureFlag failureFlag) {
		return change(key, Bucket::refill);
	}

	/** Changes a bucket as of now, if it exists. Always succeeds. */
	private boolean change(BucketKey key, ObjLongConsumer<Bucket> operation) {
		long now = this.ticker.ticks();
		onBucket(key, (bucket) -> {
			operation.accept(bucket, now);
			return bucket;
		});
		return true;
	}

	@Override
	public boolean resetAll(String rule) {
		this.buckets.keysOf(rule).forEach((key) -> change(key, Bucket::reset));
		return true;
	}

	@Override
	public Map<BucketKey, Ban> bans(String rule, int most) {
		long now = this.ticker.ticks();
		Map<BucketKey, Ban> bans = new HashMap<>();
		for (BucketKey key : this.buckets.keysOf(rule)) {
			Ban ban = (bans.size() < most) ? onBucket(key, (bucket) -> bucket.ban(now)) : null;
			if (ban != null) {
				bans.put(key, ban);
			}
		}
		return bans;
	}

	@Override
	public List<PermitHolder> holders(BucketKey key) {
		long now = this.ticker.ticks();
		List<Holder> found = onBucket(key, (bucket) -> Concurrency.holders(bucket, now));
		return (found != null) ? found.stream().map((holder) -> PermitHolder.of(holder, now)).toList() : List.of();
	}

	@Override
	public boolean release(BucketKey key, String holder) {
		Long id = PermitHolder.number(holder);
		long now = this.ticker.ticks();
		return id != null && Boolean.TRUE.equals(onBucket(key, (bucket) -> Concurrency.release(bucket, id, now)));
	}

	/** Runs an operation with the lock of a bucket, if the bucket exists. */
	private <R> @Nullable R onBucket(BucketKey key, Function<Bucket, @Nullable R> operation) {
		for (Bucket bucket = this.buckets.get(key); bucket != null; bucket = this.buckets.get(key)) {
			bucket.lock();
			try {
				if (!bucket.isRemoved()) {
					return operation.apply(bucket);
				}
			}
			finally {
				bucket.unlock();
			}
		}
		return null;
	}

	@Override
	public boolean supports(Algorithm algorithm) {
		return true;
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

	/** The outcome of one attempt to lock all buckets of a request. */
	private enum Attempt {

		ADMITTED, REJECTED,

		/** A bucket has to be created before the next attempt. */
		BUCKET_MISSING

	}

}
