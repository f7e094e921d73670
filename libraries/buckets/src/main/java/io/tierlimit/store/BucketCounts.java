package io.tierlimit.store;

/**
 * Counts of the buckets in this instance's own memory.
 */
public interface BucketCounts {

	/**
	 * The number of buckets. Full buckets are removed gradually as new keys arrive.
	 * @return the current number
	 */
	int size();

	/**
	 * The number of buckets that were evicted before they were full, to make room.
	 * @return the count since startup
	 */
	long evictions();

	/**
	 * The number of charges on buckets that several keys share because the memory for
	 * buckets is full.
	 * @return the count since startup
	 */
	long overflows();

}
