package io.tierlimit.store;

/**
 * Counts of the buckets in this instance's own memory.
 */
public interface BucketCounts {

	/**
	 * The number of buckets. Full ones are removed bit by bit as new keys arrive.
	 * @return the number at this moment
	 */
	int size();

	/**
	 * The number of buckets that were evicted before they were full, to make room.
	 * @return the count since startup
	 */
	long evictions();

	/**
	 * The number of charges on a bucket that several keys share, for lack of room.
	 * @return the count since startup
	 */
	long overflows();

}
