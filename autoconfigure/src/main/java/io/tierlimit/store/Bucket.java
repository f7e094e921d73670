package io.tierlimit.store;

import java.util.concurrent.locks.ReentrantLock;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.spi.BucketKey;

/**
 * One bucket in memory. The lock guards everything except the key.
 */
final class Bucket {

	final BucketKey key;

	final ReentrantLock lock = new ReentrantLock();

	final BucketState state;

	/**
	 * Whether several keys share it for lack of room; it takes no place of the store
	 * then.
	 */
	final boolean shared;

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
		this.key = key;
		this.shared = shared;
		this.limit = limit;
		// Time starts with the first charge: a rejection leaves no trace, not even a
		// moment.
		this.state = new BucketState(Long.MIN_VALUE, key.windowSeed());
	}

}
