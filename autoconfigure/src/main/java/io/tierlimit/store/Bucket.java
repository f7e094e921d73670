package io.tierlimit.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.spi.BucketKey;

/**
 * One bucket in memory, a single object. The lock guards everything except the key.
 * <p>
 * The lock is one word, because it covers a little arithmetic only: one compare-and-set
 * to lock, one ordered write to unlock, and no object of its own. A thread that finds it
 * locked spins for about as long as that arithmetic takes. Then the owner may have lost
 * its processor, so the thread yields its own. The lock is not reentrant.
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

	/** The number of attempts to lock before the thread yields its processor. */
	private static final int SPINS = 64;

	final BucketKey key;

	/**
	 * Whether several keys share it for lack of room; it takes no place of the store
	 * then.
	 */
	final boolean shared;

	private volatile boolean locked;

	/** The limit that the bucket was last charged under. */
	Limit limit;

	/**
	 * Whether it has rejected a request since it was full; it is not removed before it is
	 * full.
	 */
	boolean rejected;

	/** The number of places of the store that it takes. */
	int places = 1;

	/**
	 * Whether it was created for a request that has not used it yet; it is not removed
	 * until then.
	 */
	boolean pending = true;

	/**
	 * Whether the store has removed it; a thread that finds it then looks its key up
	 * again.
	 */
	boolean removed;

	Bucket(BucketKey key, Limit limit, boolean shared) {
		// Time starts with the first charge: a rejection leaves no trace, not even a
		// moment.
		super(Long.MIN_VALUE, key.windowSeed());
		this.key = key;
		this.shared = shared;
		this.limit = limit;
	}

	@SuppressWarnings("ThreadPriorityCheck")
	void lock() {
		for (int attempt = 1; !tryLock(); attempt++) {
			if (attempt % SPINS == 0) {
				Thread.yield();
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
