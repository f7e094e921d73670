package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongSupplier;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import io.tierlimit.store.DirectMappedTable;
import org.jspecify.annotations.Nullable;

/**
 * What Redis said of buckets that rejected, less than a second ago.
 * <p>
 * It told the bucket's state and its own moment; since the call began no more time has
 * passed at Redis than here. So the state, as it would be by now if nobody had consumed
 * since, is the most that there can be: a cost above that can't pass, and need not be
 * asked about. Only a give-back by another instance can make it wrong, for that second.
 * The wait is told from when the answer came, so that it is never too short.
 * <p>
 * Buckets share a table of places; two that fall on the same place displace each other,
 * which costs a call and nothing else. One request of those that come in the second half
 * of the second asks again, so that a bucket under attack is not asked about by all at
 * once when the second is over.
 */
final class RejectionCache {

	private static final long LIFE = TimeUnit.SECONDS.toNanos(1);

	private static final long RENEWAL = LIFE / 2;

	/** Counts by which a rejection is told that is older than a give-back. */
	private static final int EPOCHS = 1024;

	private final boolean enabled;

	private final DirectMappedTable<Rejection> rejections;

	private final AtomicIntegerArray epochs = new AtomicIntegerArray(EPOCHS);

	private final LongSupplier nanoTime;

	/**
	 * Creates an empty memory.
	 * @param size how many rejections are remembered at most; 0 for none
	 * @param nanoTime the clock of this instance
	 */
	RejectionCache(int size, LongSupplier nanoTime) {
		this.enabled = size > 0;
		this.rejections = new DirectMappedTable<>(Math.max(1, size));
		this.nanoTime = nanoTime;
	}

	/** The state of knowledge before a call, to be handed to {@link #remember}. */
	Before before(List<Charge> charges) {
		int[] seen = new int[charges.size()];
		for (int i = 0; i < seen.length; i++) {
			seen[i] = this.epochs.get(epoch(charges.get(i).key()));
		}
		return new Before(this.nanoTime.getAsLong(), seen);
	}

	/**
	 * Rejects a charge that can't pass.
	 * @return the decision, or {@code null} if Redis has to be asked
	 */
	@Nullable Decision reject(Charge charge) {
		if (!this.enabled || charge.shadow() || !charge.options().cacheRejections()) {
			return null;
		}
		Rejection rejection = this.rejections.get(charge.key());
		if (rejection == null || !rejection.key.equals(charge.key()) || !rejection.limit.equals(charge.limit())) {
			return null;
		}
		long now = this.nanoTime.getAsLong();
		long age = now - rejection.before;
		if (age > LIFE || rejection.allowsAfter(age, charge)) {
			return null;
		}
		if (age > RENEWAL && rejection.renewing.compareAndSet(false, true)) {
			return null;
		}
		return rejection.decisionAfter(now - rejection.after, charge);
	}

	/** Remembers a bucket that has rejected a charge. */
	void remember(Charge charge, BucketSnapshot bucket, Before before, int place) {
		if (!this.enabled || !charge.options().cacheRejections()) {
			return;
		}
		Rejection rejection = new Rejection(charge.key(), charge.limit(), bucket.state(charge.key()), bucket.now(),
				before.nanos, this.nanoTime.getAsLong());
		this.rejections.put(charge.key(), rejection);
		if (this.epochs.get(epoch(charge.key())) != before.epochs[place]) {
			forget(charge.key());
		}
	}

	/** Forgets what a give-back or a reset has made untrue. */
	void forget(BucketKey key) {
		this.epochs.incrementAndGet(epoch(key));
		Rejection rejection = this.rejections.get(key);
		if (rejection != null && rejection.key.equals(key)) {
			this.rejections.replace(key, rejection, null);
		}
	}

	/** Forgets what a reset of all buckets of a rule has made untrue. */
	void forgetAll(String rule) {
		for (int i = 0; i < EPOCHS; i++) {
			this.epochs.incrementAndGet(i);
		}
		this.rejections.removeIf((rejection) -> rejection.key.rule().equals(rule));
	}

	private static int epoch(BucketKey key) {
		return (int) (key.windowSeed() >>> Integer.SIZE) % EPOCHS;
	}

	/**
	 * What was known before a call.
	 */
	static final class Before {

		private final long nanos;

		private final int[] epochs;

		private Before(long nanos, int[] epochs) {
			this.nanos = nanos;
			this.epochs = epochs;
		}

	}

	private record Rejection(BucketKey key, Limit limit, BucketState state, long updatedAt, long before, long after,
			AtomicBoolean renewing) {

		private Rejection(BucketKey key, Limit limit, BucketState state, long updatedAt, long before, long after) {
			this(key, limit, state, updatedAt, before, after, new AtomicBoolean());
		}

		private boolean allowsAfter(long nanos, Charge charge) {
			// Rounded up: no more can have been earned.
			long ticks = nanos / 1000 + 1;
			return this.limit.allows(this.state, charge.cost(), charge.options().overdraft(), this.updatedAt + ticks);
		}

		private Decision decisionAfter(long nanos, Charge charge) {
			return this.limit.inspect(this.state, charge.cost(), charge.options().overdraft(),
					this.updatedAt + nanos / 1000);
		}

	}

}
