package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

import io.tierlimit.store.StoreStatus.LocalShare;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The share of every limit that this instance enforces while Redis is unavailable: one
 * divided by the largest number of instances that Redis has shown within the last
 * {@link Renewals#LIFE}. After Redis has lost its data, the last number is too small
 * until all instances have renewed their memberships. Until Redis has shown a number, the
 * share is the whole limit.
 */
final class InstanceShare implements Renewals.Renewable {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	/**
	 * More digits than any limit has, so that the rounding of a share does not change a
	 * limit. The share is rounded up: a third of 9 permits is 3.
	 */
	private static final int DIGITS = 30;

	private static final LocalShare UNKNOWN = new LocalShare(BigDecimal.ONE, null, null);

	private final Membership membership;

	private final LongSupplier nanoTime;

	/** The numbers that Redis has shown within the last life of a membership. */
	private final Deque<Shown> recent = new ArrayDeque<>();

	private volatile LocalShare current = UNKNOWN;

	/**
	 * Creates the share of an instance.
	 * @param membership the membership of the instance
	 * @param nanoTime a clock in nanoseconds
	 */
	InstanceShare(Membership membership, LongSupplier nanoTime) {
		this.membership = membership;
		this.nanoTime = nanoTime;
	}

	/** The share, without a call to Redis. */
	LocalShare current() {
		return this.current;
	}

	@Override
	public void renew() {
		try {
			int instances = largest(this.membership.renew());
			this.current = new LocalShare(share(instances), instances, null);
		}
		catch (Throwable ex) { // any other exception would end the renewals
			recordFailure((ex instanceof StoreFailure failure) ? failure : StoreFailure.of(ex));
		}
	}

	/** Returns the largest recent number, including a number that Redis just showed. */
	private int largest(int instances) {
		long now = this.nanoTime.getAsLong();
		this.recent.removeIf((shown) -> now - shown.at() >= Renewals.LIFE.toNanos());
		this.recent.add(new Shown(instances, now));
		return this.recent.stream().mapToInt(Shown::instances).max().orElse(instances);
	}

	private static BigDecimal share(int instances) {
		return BigDecimal.ONE.divide(BigDecimal.valueOf(instances), DIGITS, RoundingMode.CEILING);
	}

	/**
	 * Keeps the share. Only the first of several consecutive failures is logged, before
	 * {@link #current()} shows it.
	 */
	private void recordFailure(StoreFailure failure) {
		LocalShare before = this.current;
		String problem = String.valueOf(failure.getMessage());
		if (before.problem() == null) {
			logger.warn(warning(before.instances(), problem));
		}
		this.current = new LocalShare(before.share(), before.instances(), problem);
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
		clearNumber();
		try {
			this.membership.end();
		}
		catch (Throwable ex) {
			logger.debug("The membership of this instance was not removed from Redis, and will end there", ex);
		}
	}

	/** A number may be much too old after the application was restored. */
	private void clearNumber() {
		this.recent.clear();
		if (this.current.instances() != null) {
			this.current = UNKNOWN;
		}
	}

	/**
	 * A number of instances, and the time when Redis showed it.
	 */
	private record Shown(int instances, long at) {

	}

}
