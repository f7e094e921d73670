package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;

import io.tierlimit.limit.StoreFailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the store in Redis.
 *
 * @param keyPrefix the prefix of all keys: 1 to 64 letters, digits, dots, dashes,
 * underscores and colons
 * @param timeout the time that a call waits for the reply of Redis: 1 millisecond or more
 * @param onStoreFailure the policy for charges while Redis cannot be reached, if their
 * options have none
 * @param localShare the share of every limit that this instance enforces while Redis
 * cannot be reached: above 0, up to 1; {@code null} for one divided by the number of
 * stores that Redis last showed. Redis counts the stores that have {@code null} and the
 * same prefix. A store is counted from its creation until it is closed, or until 30
 * seconds after its process has crashed. If Redis has not been reached since the creation
 * of the store, the share is 1
 * @param cachedRejections the maximum number of cached rejections; 0 for none
 */
public record RedisStoreSettings(String keyPrefix, Duration timeout, StoreFailurePolicy onStoreFailure,
		@Nullable BigDecimal localShare, int cachedRejections) {

	/** The number of cached rejections of each instance. */
	public static final int CACHED_REJECTIONS = 16_384;

	/**
	 * The defaults of {@code tierlimit.redis}: calls wait 100 milliseconds. While Redis
	 * cannot be reached, this instance enforces its share of every limit: one divided by
	 * the number of instances.
	 */
	public static final RedisStoreSettings STANDARD = new RedisStoreSettings("tierlimit", Duration.ofMillis(100),
			StoreFailurePolicy.LOCAL, null, CACHED_REJECTIONS);

	/**
	 * Creates settings.
	 * @throws IllegalArgumentException if a setting is out of range
	 */
	public RedisStoreSettings {
		if (!keyPrefix.matches("[A-Za-z0-9._:-]{1,64}")) {
			throw new IllegalArgumentException(
					"The key prefix must be 1 to 64 letters, digits, dots, dashes, underscores " + "and colons (was '"
							+ keyPrefix + "')");
		}
		if (timeout.toMillis() < 1) {
			throw new IllegalArgumentException("The timeout must be at least 1 millisecond (was " + timeout + ")");
		}
		if (localShare != null && (localShare.signum() <= 0 || localShare.compareTo(BigDecimal.ONE) > 0)) {
			throw new IllegalArgumentException(
					"The local share must be above 0 and at most 1 (was " + localShare + ")");
		}
		if (cachedRejections < 0) {
			throw new IllegalArgumentException(
					"The number of cached rejections must not be negative (was " + cachedRejections + ")");
		}
	}

	/**
	 * Returns the same settings with another timeout.
	 * @param timeout the time that a call waits: 1 millisecond or more
	 * @return the settings
	 */
	public RedisStoreSettings withTimeout(Duration timeout) {
		return new RedisStoreSettings(this.keyPrefix, timeout, this.onStoreFailure, this.localShare,
				this.cachedRejections);
	}

}
