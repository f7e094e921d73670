package io.tierlimit.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overrun;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * One bucket in memory, a single object that is also the entry of a {@link BucketTable}.
 * The lock guards everything except the key and the link.
 * <p>
 * The lock is one field, because it covers a little arithmetic only: one compare-and-set
 * to lock, one ordered write to unlock, and no object. A thread that finds the bucket
 * locked spins for about as long as the arithmetic takes. If the bucket is still locked,
 * its owner may have lost the processor, so the thread sleeps for a short time. If the
 * thread only yielded, the scheduler might run it again before the owner. The lock is not
 * reentrant.
 */
final class Bucket extends BucketState {

	private static final VarHandle LOCKED;

	static {
		try {
			LOCKED = MethodHandles.lookup().findVarHandle(Bucket.class, "locked", boolean.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	/** The number of attempts to lock before the thread sleeps. */
	private static final int SPINS = 16;

	private static final long SLEEP_NANOS = 50_000;

	/** The number of places of an overflow bucket, which several keys share. */
	private static final byte NONE = 0;

	private static final byte REMOVED = -1;

	private final String rule;

	private final String key;

	/** A number that selects a chain of the table; set before the bucket is added. */
	int position;

	/** The next bucket in the same chain of the table. */
	volatile @Nullable Bucket next;

	private volatile boolean locked;

	/**
	 * Whether the bucket has rejected a request since it was full; such a bucket is not
	 * removed before it is full.
	 */
	boolean rejected;

	/**
	 * Whether the bucket was created for a request that has not used it yet; such a
	 * bucket is not removed.
	 */
	boolean pending = true;

	/**
	 * The number of places of the store that the bucket takes. A byte, because a larger
	 * field would make each bucket larger by eight bytes.
	 */
	private byte places;

	private Bucket(BucketKey key, byte places) {
		// The time of a bucket starts with the first charge: a rejection changes nothing,
		// not even the time.
		super(Long.MIN_VALUE);
		this.rule = key.rule();
		this.key = key.key();
		this.places = places;
	}

	/** Creates a bucket for one key. */
	Bucket(BucketKey key) {
		this(key, (byte) 1);
	}

	/**
	 * Creates an overflow bucket, which several keys share and which takes no place of
	 * the store.
	 */
	static Bucket shared(BucketKey key) {
		return new Bucket(key, NONE);
	}

	boolean isOf(BucketKey other) {
		return this.key.equals(other.key()) && this.rule.equals(other.rule());
	}

	boolean isOfRule(String id) {
		return this.rule.equals(id);
	}

	BucketKey key() {
		return new BucketKey(this.rule, this.key);
	}

	/** Returns the number of the key. It is rarely needed, so it is not stored. */
	@Override
	protected long windowSeed() {
		return key().windowSeed();
	}

	/** Completes a check against a limit. */
	void decided(Limit limit, boolean hasRejected) {
		setLimit(limit);
		this.rejected = hasRejected;
		this.pending = false;
	}

	/** Settles a charge, and keeps the limit of the last check. */
	Overrun settle(Settlement settlement, long now) {
		Limit checked = limit();
		Overrun overrun = settlement.apply(this, now);
		if (checked != null) {
			setLimit(checked);
		}
		this.pending = false;
		return overrun;
	}

	/**
	 * How much of the bucket is consumed, under the limit of the last check: from 0 for a
	 * bucket that is equivalent to a missing one, to 1 for a bucket that must not be
	 * removed. A banned bucket is never removed. A full bucket with rejections or earlier
	 * bans is removed after all buckets that have permits.
	 */
	double shareConsumed(long now) {
		if (this.pending || isRemoved() || isBanned(now)) {
			return 1;
		}
		Limit limit = limit();
		double share = (limit != null) ? shareConsumed(limit, now) : 0;
		return (now < bansMatterUntil()) ? Math.max(share, Math.nextDown(1.0)) : share;
	}

	private double shareConsumed(Limit limit, long now) {
		long left = limit.remaining(this, now);
		double capacity = limit.capacity();
		// Permits in use would be lost with their holders.
		boolean kept = this.rejected || limit.algorithm().holdsPermits();
		return (kept && left < capacity) ? 1 : (capacity - left) / capacity;
	}

	boolean isShared() {
		return this.places == NONE;
	}

	int places() {
		return this.places;
	}

	void setPlaces(int number) {
		this.places = (byte) number;
	}

	/**
	 * Whether the store has removed the bucket. A thread that finds a removed bucket
	 * looks its key up again.
	 */
	boolean isRemoved() {
		return this.places == REMOVED;
	}

	void setRemoved() {
		this.places = REMOVED;
	}

	void lock() {
		for (int attempt = 1; !tryLock(); attempt++) {
			if (attempt % SPINS == 0) {
				LockSupport.parkNanos(SLEEP_NANOS);
			}
			else {
				Thread.onSpinWait();
			}
		}
	}

	/** Locks the bucket unless a thread has locked it, including this one. */
	boolean tryLock() {
		return !this.locked && LOCKED.compareAndSet(this, false, true);
	}

	void unlock() {
		LOCKED.setRelease(this, false);
	}

}
