package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The states of buckets that have rejected a charge less than a second ago, as Redis
 * returned them.
 * <p>
 * A reply contains the state of the bucket, with its timestamp by the clock of Redis.
 * Since then, Redis's clock has advanced by at most the time since the start of the call.
 * The cached state, advanced by this time without further charges, is therefore an upper
 * bound of the permits: a charge with a higher cost cannot be allowed, and no call is
 * needed. Only a refund by another instance can make the cached state wrong, for at most
 * a second. The wait of a rejected request is calculated from the time of the reply, so
 * that it is never too short.
 * <p>
 * Rejections are in a table of a fixed size. A bucket may be in a few consecutive places,
 * which follow from the hash of its key and are shared with other buckets. A new
 * rejection replaces the oldest rejection in these places; the only cost is another call
 * for the replaced bucket. In the last tenth of the second, one request calls Redis again
 * and renews the rejection, so that the requests for a bucket under attack do not all
 * call Redis at the end of the second.
 *
 * @param table the rejections; empty if none are cached
 * @param epochs the numbers of refunds and resets, of which several buckets share one
 * @param nanoTime the clock of this instance
 */
record RejectionCache(AtomicReferenceArray<@Nullable Rejection> table, AtomicIntegerArray epochs,
		LongSupplier nanoTime) {

	private static final long MAX_AGE = TimeUnit.SECONDS.toNanos(1);

	private static final long RENEWAL_AGE = MAX_AGE / 10 * 9;

	/** The number of places that a bucket may have. */
	private static final int PLACES = 8;

	/** The number of counters that identify rejections older than a refund. */
	private static final int EPOCHS = 1024;

	/**
	 * Creates an empty cache.
	 * @param size the maximum number of rejections; 0 for none
	 * @param nanoTime the clock of this instance
	 */
	RejectionCache(int size, LongSupplier nanoTime) {
		this(new AtomicReferenceArray<>(size), new AtomicIntegerArray(EPOCHS), nanoTime);
	}

	private boolean isEnabled() {
		return this.table.length() > 0;
	}

	/** The state of the cache before a call, for {@link #put}. */
	CallStart start(List<Charge> charges) {
		List<Integer> seen = charges.stream().map((charge) -> this.epochs.get(epoch(charge.key()))).toList();
		return new CallStart(this.nanoTime.getAsLong(), seen);
	}

	/**
	 * Rejects a charge that cannot be allowed.
	 * @return the decision, or {@code null} if a call to Redis is required
	 */
	@Nullable Decision reject(Charge charge) {
		if (!isEnabled() || charge.shadow() || !charge.options().cacheRejections()) {
			return null;
		}
		Rejection rejection = find(charge.key());
		if (rejection == null || !rejection.limit.equals(charge.limit())) {
			return null;
		}
		long now = this.nanoTime.getAsLong();
		long age = now - rejection.before;
		if (age > MAX_AGE || rejection.mayBeAllowedAfter(age, charge)) {
			return null;
		}
		if (age > RENEWAL_AGE && rejection.renewing.compareAndSet(false, true)) {
			return null;
		}
		return rejection.decisionAfter(now - rejection.after, charge);
	}

	/**
	 * Caches a bucket that has rejected a charge. If the rule has bans, a bucket is
	 * cached only while it is banned, because the script must count all other rejections.
	 */
	void put(Charge charge, BucketSnapshot bucket, CallStart start, int index) {
		boolean counts = charge.options().countsRejections() && bucket.ban() == null;
		// Other instances release permits at any time.
		boolean held = Holding.isHeld(charge);
		if (!isEnabled() || !charge.options().cacheRejections() || counts || held) {
			return;
		}
		Rejection rejection = new Rejection(charge.key(), charge.limit(), bucket.state(charge.key()), bucket.now(),
				start.nanos, this.nanoTime.getAsLong(), new AtomicBoolean());
		this.table.set(placeFor(charge.key()), rejection);
		if (this.epochs.get(epoch(charge.key())) != start.epochs.get(index)) {
			invalidate(charge.key());
		}
	}

	/** Removes a rejection that a refund or a reset has made obsolete. */
	void invalidate(BucketKey key) {
		this.epochs.incrementAndGet(epoch(key));
		removeIf((rejection) -> rejection.key.equals(key), firstPlace(key), places());
	}

	/** Removes the rejections of a rule whose buckets were all reset. */
	void invalidateAll(String rule) {
		for (int i = 0; i < EPOCHS; i++) {
			this.epochs.incrementAndGet(i);
		}
		removeIf((rejection) -> rejection.key.rule().equals(rule), 0, this.table.length());
	}

	private void removeIf(Predicate<Rejection> filter, int first, int count) {
		for (int i = 0; i < count; i++) {
			int place = (first + i) % this.table.length();
			Rejection rejection = this.table.get(place);
			if (rejection != null && filter.test(rejection)) {
				this.table.compareAndSet(place, rejection, null);
			}
		}
	}

	private @Nullable Rejection find(BucketKey key) {
		int first = firstPlace(key);
		for (int i = 0; i < places(); i++) {
			Rejection rejection = this.table.get((first + i) % this.table.length());
			if (rejection != null && rejection.key.equals(key)) {
				return rejection;
			}
		}
		return null;
	}

	/**
	 * The current place of the bucket, otherwise an empty place, otherwise the place of
	 * the oldest rejection.
	 */
	private int placeFor(BucketKey key) {
		int first = firstPlace(key);
		int best = first;
		Rejection oldest = this.table.get(first);
		for (int i = 0; i < places(); i++) {
			int place = (first + i) % this.table.length();
			Rejection rejection = this.table.get(place);
			if (rejection != null && rejection.key.equals(key)) {
				return place;
			}
			if (oldest != null && (rejection == null || rejection.before - oldest.before < 0)) {
				best = place;
				oldest = rejection;
			}
		}
		return best;
	}

	private int firstPlace(BucketKey key) {
		// The upper bits depend on the whole hash.
		return isEnabled() ? (int) (key.windowSeed() >>> Integer.SIZE) % this.table.length() : 0;
	}

	private int places() {
		return Math.min(PLACES, this.table.length());
	}

	private static int epoch(BucketKey key) {
		return (int) (key.windowSeed() >>> Integer.SIZE) % EPOCHS;
	}

	/**
	 * The time and the counters before a call.
	 */
	record CallStart(long nanos, List<Integer> epochs) {

	}

	record Rejection(BucketKey key, Limit limit, BucketState state, long updatedAt, long before, long after,
			AtomicBoolean renewing) {

		private boolean mayBeAllowedAfter(long nanos, Charge charge) {
			// Rounded up, so that the bucket cannot have earned more than this.
			long ticks = nanos / 1000 + 1;
			long now = this.updatedAt + ticks;
			return charge.isAllowed(this.state, now)
					|| (charge.options().countsRejections() && !this.state.isBanned(now));
		}

		private Decision decisionAfter(long nanos, Charge charge) {
			return charge.inspect(this.state, this.updatedAt + nanos / 1000);
		}

	}

}
