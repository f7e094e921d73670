package io.tierlimit.store;

/**
 * How many buckets this instance keeps in its own memory.
 */
public interface BucketCounts {

	/**
	 * How many buckets are kept. Full ones are forgotten bit by bit while new keys come.
	 * @return the number at this moment
	 */
	int size();

	/**
	 * How many buckets were forgotten before they were full, to make room.
	 * @return the count since start
	 */
	long evictions();

	/**
	 * How many charges went to a bucket that keys share, for want of room.
	 * @return the count since start
	 */
	long overflows();

}
