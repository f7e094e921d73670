package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;

import io.tierlimit.limit.StoreFailurePolicy;

/**
 * How the store in Redis works.
 *
 * @param keyPrefix what the names of all keys begin with: 1 to 64 letters, digits, dots,
 * dashes, underscores and colons
 * @param timeout how long a call waits for the reply of Redis: 1 millisecond or more
 * @param onFailure what becomes of charges while Redis can't be reached, unless their
 * terms say otherwise
 * @param localShare which part of every limit this instance grants while Redis can't be
 * reached: above 0, up to 1
 * @param cachedRejections how many rejections are remembered at most; 0 for none
 */
public record RedisStoreSettings(String keyPrefix, Duration timeout, StoreFailurePolicy onFailure,
		BigDecimal localShare, int cachedRejections) {

	/**
	 * Creates settings.
	 * @throws IllegalArgumentException if one is outside of what is accepted
	 */
	public RedisStoreSettings {
		if (!keyPrefix.matches("[A-Za-z0-9._:-]{1,64}")) {
			throw new IllegalArgumentException("A key prefix has 1 to 64 letters, digits, dots, dashes, underscores "
					+ "and colons, but was '" + keyPrefix + "'");
		}
		if (timeout.toMillis() < 1) {
			throw new IllegalArgumentException("A timeout needs 1 millisecond or more but was " + timeout);
		}
		if (localShare.signum() <= 0 || localShare.compareTo(BigDecimal.ONE) > 0) {
			throw new IllegalArgumentException("A local share is above 0, and 1 at most, but was " + localShare);
		}
		if (cachedRejections < 0) {
			throw new IllegalArgumentException(
					"The number of cached rejections is 0 or more but was " + cachedRejections);
		}
	}

}
