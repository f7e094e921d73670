package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.math.RoundingMode;

import io.tierlimit.store.StoreStatus.LocalShare;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The share of every limit that this instance enforces while Redis is unavailable: one
 * divided by the number of instances that Redis last showed. Until Redis has shown a
 * number, the share is the whole limit.
 */
final class InstanceShare implements Renewals.Renewable {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	/**
	 * More digits than any limit has, so that the rounding of a share does not change a
	 * limit. The share is rounded up: a third of 9 permits is 3.
	 */
	private static final int DIGITS = 30;

	private final Membership membership;

	private volatile LocalShare current = new LocalShare(BigDecimal.ONE, null, null);

	InstanceShare(Membership membership) {
		this.membership = membership;
	}

	/** The share, without a call to Redis. */
	LocalShare current() {
		return this.current;
	}

	@Override
	public void renew() {
		try {
			int instances = this.membership.renew();
			this.current = new LocalShare(share(instances), instances, null);
		}
		catch (StoreFailure ex) {
			recordFailure(ex);
		}
		catch (RuntimeException ex) { // any exception would end the renewals
			recordFailure(StoreFailure.of(ex));
		}
	}

	private static BigDecimal share(int instances) {
		return BigDecimal.ONE.divide(BigDecimal.valueOf(instances), DIGITS, RoundingMode.CEILING);
	}

	/** Keeps the share. Only the first of several consecutive failures is logged. */
	private void recordFailure(StoreFailure failure) {
		LocalShare before = this.current;
		String problem = String.valueOf(failure.getMessage());
		this.current = new LocalShare(before.share(), before.instances(), problem);
		if (before.problem() == null) {
			logger.warn(warning(before.instances(), problem));
		}
	}

	private static String warning(@Nullable Integer instances, String problem) {
		if (instances == null) {
			return "The number of instances is unknown, because Redis has not shown it since startup (" + problem
					+ "). Until Redis shows it, this instance enforces 100% of each limit while Redis is unavailable. To lower "
					+ "this share, set tierlimit.redis.local-share to a percentage, such as 25% for 4 instances.";
		}
		return "The membership of this instance was not renewed in Redis (" + problem
				+ "). While Redis is unavailable, this instance enforces 1/" + instances
				+ " of each limit, because Redis last showed " + instances
				+ ((instances == 1) ? " instance." : " instances.");
	}

	@Override
	public void end() {
		try {
			this.membership.end();
		}
		catch (StoreFailure | RuntimeException ex) {
			logger.debug("The membership of this instance was not removed from Redis, and will end there", ex);
		}
	}

}
