package io.tierlimit;

/**
 * Permits in use that code holds until it closes this object. The other permits that were
 * acquired together with them are consumed, and remain consumed. Implementations are
 * thread-safe: any thread may close a hold.
 */
public interface Hold extends AutoCloseable {

	/**
	 * The decisions of all buckets.
	 * @return a verdict that allows the requests. {@link RateLimiter#refund(Verdict)}
	 * with this verdict refunds the consumed permits, and also releases the permits in
	 * use
	 */
	Verdict verdict();

	/**
	 * Releases the permits in use. Further calls have no effect. A hold that is never
	 * closed ends after the {@code max-duration} of its rule.
	 */
	@Override
	void close();

}
