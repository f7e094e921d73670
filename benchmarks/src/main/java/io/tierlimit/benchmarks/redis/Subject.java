package io.tierlimit.benchmarks.redis;

/**
 * One way to check requests in Redis. Thread-safe.
 */
interface Subject extends AutoCloseable {

	/**
	 * Checks one request, and waits for the result.
	 * @param caller the number of the caller, 0 or more
	 * @throws Exception if Redis does not reply
	 */
	void check(int caller) throws Exception;

	@Override
	void close();

}
