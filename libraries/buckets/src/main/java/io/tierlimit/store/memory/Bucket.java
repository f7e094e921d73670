package io.tierlimit.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import org.jspecify.annotations.Nullable;

/**
 * One bucket in memory, a single object that is also the entry of a {@link BucketTable}.
 * The lock guards everything except the key and the link.
 * <p>
 * The lock is one word, because it covers a little arithmetic only: one compare-and-set
 * to lock, one ordered write to unlock, and no object of its own. A thread that finds it
 * locked spins for about as long as that arithmetic takes. Then the owner may have lost
 * its processor, so the thread sleeps for a moment: if it only yielded, the scheduler
 * might let it run again before the owner. The lock is not reentrant.
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

	/** The number of places of a bucket that several keys share for lack of room. */
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
	 * Whether it has rejected a request since it was full; it is not removed before it is
	 * full.
	 */
	boolean rejected;

	/**
	 * Whether it was created for a request that has not used it yet; it is not removed
	 * until then.
	 */
	boolean pending = true;

	/**
	 * The number of places of the store that it takes. A byte, because a field more would
	 * make each bucket larger by eight bytes.
	 */
	private byte places;

	private Bucket(BucketKey key, byte places) {
		// Time starts with the first charge: a rejection leaves no trace, not even a
		// moment.
		super(Long.MIN_VALUE);
		this.rule = key.rule();
		this.key = key.key();
		this.places = places;
	}

	/** Creates a bucket of its own key. */
	Bucket(BucketKey key) {
		this(key, (byte) 1);
	}

	/** Creates a bucket that several keys share; it takes no place of the store. */
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

	/** The same number as for the key: too rarely needed to be stored. */
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

	/** Refunds a charge, and keeps the limit of the last check. */
	void refund(Charge charge, long now) {
		Limit checked = limit();
		charge.limit().refund(this, charge.cost(), charge.receipt(), now);
		if (checked != null) {
			setLimit(checked);
		}
	}

	/**
	 * From 0 for a bucket that equals one that does not exist, to 1 for one that must not
	 * be removed, under the limit of the last check. A ban is never removed; a full
	 * bucket with rejections or earlier bans is, after all buckets that have permits.
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
		return (this.rejected && left < capacity) ? 1 : (capacity - left) / capacity;
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
	 * Whether the store has removed it; a thread that finds it then looks its key up
	 * again.
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
