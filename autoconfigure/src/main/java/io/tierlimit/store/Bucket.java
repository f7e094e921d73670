package io.tierlimit.store;

import java.util.concurrent.locks.ReentrantLock;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.spi.BucketKey;

/**
 * One bucket in memory. Everything but the key is guarded by the lock.
 */
final class Bucket {

	final BucketKey key;

	final ReentrantLock lock = new ReentrantLock();

	final BucketState state;

	/** Whether keys share it for want of room; it takes no place of the store then. */
	final boolean shared;

	/** The limit that the bucket was last charged under. */
	Limit limit;

	/** Whether it has rejected a request since it was full; it is kept until it is. */
	boolean rejected;

	/** How many places of the store it takes. */
	int places = 1;

	/**
	 * Whether the request that it was made for is still to come; it is kept until then.
	 */
	boolean awaited = true;

	/** Whether the store has let go of it; who finds it so looks it up again. */
	boolean forgotten;

	Bucket(BucketKey key, Limit limit, boolean shared) {
		this.key = key;
		this.shared = shared;
		this.limit = limit;
		// Time counts from the first taking: a rejection leaves no trace, not even a
		// moment.
		this.state = new BucketState(Long.MIN_VALUE, key.windowSeed());
	}

}
