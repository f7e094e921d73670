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

import org.jspecify.annotations.Nullable;

/**
 * Buckets in this instance's memory.
 * <p>
 * Every bucket has a lock that is held for some arithmetic and nothing else. A request
 * takes the locks of its buckets in the order of their keys, one level of recursion a
 * bucket; when it holds the last one, all have been asked and the request is decided; on
 * the way back each bucket is charged and unlocked. No lock is taken after one was given
 * back, so requests are serializable, and that a request was refused is never due to a
 * charge that is undone later. The recursion spares an array of locked buckets: nothing
 * is allocated but the answer. Buckets are made and forgotten while no lock is held, or
 * without waiting for one; a bucket that is missing once the locks are held sends the
 * request back to make it.
 * <p>
 * What a key has taken from an overflow bucket is given back there, by the charges that
 * the answer names; it can't be reset or seen by a peek: the bucket is not the key's own.
 */
public final class InMemoryBucketStore implements BucketStore, BucketCounts {

	private static final Charge[] REFUSED = {};

	private static final Charge[] BUCKET_MISSING = {};

	private final Ticker ticker;

	private final BucketMap buckets;

	/**
	 * Creates an empty store.
	 * @param ticker the clock; read once a request
	 * @param maxBuckets how many buckets are kept at most, 1 or more
	 */
	public InMemoryBucketStore(Ticker ticker, int maxBuckets) {
		this.ticker = ticker;
		this.buckets = new BucketMap(maxBuckets);
	}

	@Override
	public Answer acquire(List<Charge> charges) {
		long now = this.ticker.ticks();
		@Nullable Decision[] decisions = new Decision[charges.size()];
		List<Charge> found = charges;
		Charge[] acquired = settle(found, null, true, now, decisions);
		while (acquired == BUCKET_MISSING) {
			found = withBuckets(charges, now);
			acquired = settle(found, null, true, now, decisions);
		}
		boolean admitted = acquired != REFUSED;
		return new Answer(admitted, decided(decisions), admitted ? Arrays.asList(acquired) : found);
	}

	@SuppressWarnings("NullAway") // every element is set once the request is decided
	private static List<Decision> decided(@Nullable Decision[] decisions) {
		return Arrays.asList(decisions);
	}

	/**
	 * Decides, and returns the acquired charges, {@link #REFUSED} or
	 * {@link #BUCKET_MISSING}.
	 */
	private Charge[] settle(List<Charge> charges, @Nullable BucketKey previous, boolean passes, long now,
			@Nullable Decision[] decisions) {
		Charge charge = next(charges, previous);
		if (charge == null) {
			return passes ? new Charge[charges.size()] : REFUSED;
		}
		Bucket bucket = this.buckets.get(charge.key());
		if (bucket == null) {
			return BUCKET_MISSING;
		}
		bucket.lock.lock();
		try {
			if (bucket.forgotten) {
				return BUCKET_MISSING;
			}
			Limit limit = charge.limit();
			BucketState state = bucket.state;
			long cost = sum(charges, charge.key());
			Overdraft overdraft = charge.terms().overdraft();
			boolean enough = limit.allows(state, cost, overdraft, now);
			boolean allows = charge.shadow() || enough;
			Charge[] acquired = settle(charges, charge.key(), passes && allows, now, decisions);
			if (acquired != BUCKET_MISSING) {
				boolean admitted = acquired != REFUSED;
				bucket.rejected = !enough || (bucket.rejected && !limit.isFull(state, now));
				if (admitted) {
					this.buckets.makeRoomForEntry(bucket, limit, now);
				}
				Decision decision = admitted ? limit.take(state, cost, overdraft, now)
						: limit.leave(state, cost, overdraft, now);
				this.buckets.countPlaces(bucket);
				bucket.limit = limit;
				bucket.awaited = false;
				answer(charges, charge.key(), decision, decisions);
				if (admitted) {
					answer(charges, charge.key(), decision.allowed() ? state.receipt() : null, acquired);
				}
			}
			return acquired;
		}
		finally {
			bucket.lock.unlock();
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

	private static void answer(List<Charge> charges, BucketKey key, Decision decision, @Nullable Decision[] decisions) {
		for (int i = 0; i < charges.size(); i++) {
			if (charges.get(i).key().equals(key)) {
				decisions[i] = decision;
			}
		}
	}

	private static void answer(List<Charge> charges, BucketKey key, @Nullable Receipt receipt, Charge[] acquired) {
		for (int i = 0; i < charges.size(); i++) {
			Charge charge = charges.get(i);
			if (charge.key().equals(key)) {
				acquired[i] = (receipt != null) ? charge.acquired(receipt) : charge;
			}
		}
	}

	/** Makes the missing buckets; where there is no room, charges the overflow bucket. */
	private List<Charge> withBuckets(List<Charge> charges, long now) {
		List<Charge> found = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			Bucket bucket = this.buckets.getOrCreate(charge.key(), charge.limit(), now);
			found.add(bucket.key.equals(charge.key()) ? charge : charge.on(bucket.key));
		}
		return found;
	}

	@Override
	public List<Decision> peek(List<Charge> charges) {
		long now = this.ticker.ticks();
		List<Decision> decisions = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			Decision decision = onBucket(charge.key(), (bucket) -> peek(charge, bucket.state, now));
			decisions
				.add((decision != null) ? decision : peek(charge, new BucketState(now, charge.key().spread()), now));
		}
		return decisions;
	}

	private static Decision peek(Charge charge, BucketState state, long now) {
		return charge.limit().peek(state, charge.cost(), charge.terms().overdraft(), now);
	}

	@Override
	public void refund(List<Charge> charges) {
		long now = this.ticker.ticks();
		for (Charge charge : charges) {
			onBucket(charge.key(), (bucket) -> {
				charge.limit().refund(bucket.state, charge.cost(), charge.receipt(), now);
				return bucket;
			});
		}
	}

	@Override
	public boolean reset(BucketKey key) {
		long now = this.ticker.ticks();
		onBucket(key, (bucket) -> {
			bucket.limit.reset(bucket.state, now);
			return bucket;
		});
		return true;
	}

	@Override
	public boolean resetAll(String rule) {
		this.buckets.keysOf(rule).forEach(this::reset);
		return true;
	}

	/** Asks a bucket, if there is one, while nobody else does. */
	private <R> @Nullable R onBucket(BucketKey key, Function<Bucket, R> question) {
		for (Bucket bucket = this.buckets.get(key); bucket != null; bucket = this.buckets.get(key)) {
			bucket.lock.lock();
			try {
				if (!bucket.forgotten) {
					return question.apply(bucket);
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
