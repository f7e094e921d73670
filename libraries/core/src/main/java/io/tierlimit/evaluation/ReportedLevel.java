package io.tierlimit.evaluation;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Set;

import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.shard.AllShardsCharge;
import org.jspecify.annotations.Nullable;

/**
 * The level of a bucket as another party reports it.
 * <p>
 * A bucket without permits refills at the rate of its rule. If the next permit is to
 * become available later, the bucket must owe the permits that it refills until then. The
 * charge may not let the bucket owe more. If several instances report the same level,
 * only the first charge is allowed therefore.
 *
 * @param remaining the permits that are left
 * @param retryAfter the time until the next permit, if none is left; at most an hour
 */
record ReportedLevel(long remaining, Duration retryAfter) {

	/** The longest time for which a single report can stop calls. */
	static final Duration LONGEST_WAIT = Duration.ofHours(1);

	private static final Set<Algorithm> EARNING = Set.of(Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET);

	/**
	 * Creates a level.
	 * @throws IllegalArgumentException if a number is negative
	 */
	ReportedLevel {
		if (remaining < 0) {
			throw new IllegalArgumentException("The remaining permits must not be negative (was " + remaining + ")");
		}
		if (retryAfter.isNegative()) {
			throw new IllegalArgumentException("The wait must not be negative (was " + retryAfter + ")");
		}
		retryAfter = (retryAfter.compareTo(LONGEST_WAIT) > 0) ? LONGEST_WAIT : retryAfter;
	}

	/**
	 * The charge that lowers a bucket to this level.
	 * @param none a charge of 0 permits
	 * @param now the decision on that charge
	 * @return the charge; {@code null} if the bucket is not above this level
	 */
	@Nullable Charge difference(Charge none, RuleDecision now) {
		long excess = Math.max(0, now.decision().remaining() - this.remaining);
		// While the store is unavailable, the limit is this instance's share.
		long debt = (this.remaining == 0) ? debt(now.limit(), now.decision()) : 0;
		ChargeOptions options = none.options();
		// Each part of a debt is rounded up to a permit of its shard.
		long rounding = (options.shards() > 1) ? permitTicks(now.limit(), options) : 0;
		Overdraft overdraft = (debt > 0) ? Overdraft.ofTicks(ticks() + rounding) : Overdraft.NONE;
		return (excess + debt == 0) ? null
				: new AllShardsCharge(none.key(), none.limit(), excess + debt, new ChargeOptions(options.shadow(),
						options.onStoreFailure(), false, overdraft, null, true, options.shards()));
	}

	/** The time in which a bucket, or each of its shards, refills one permit. */
	private static long permitTicks(Limit limit, ChargeOptions options) {
		return options.shards() * limit.rate().periodTicks() / limit.rate().permits() + 1;
	}

	/**
	 * Whether a bucket owes so many permits that waiting code must not continue. A bucket
	 * never owes so many permits only because of code that waits.
	 * @param now a decision on the bucket
	 * @param options how many permits the bucket may owe without a report
	 */
	static boolean isPaused(RuleDecision now, RuleChargeOptions options) {
		return options.reserving().overdraft().permits() == 0 && EARNING.contains(now.limit().algorithm())
				&& now.decision().nextPermitTicks() > options.waiting().overdraft().ticks()
						+ permitTicks(now.limit(), options.immediate());
	}

	/**
	 * The permits that the bucket refills between its own next permit and the reported
	 * next permit, rounded up.
	 */
	private long debt(Limit limit, Decision now) {
		Rate rate = limit.rate();
		long next = (now.nextPermitTicks() > 0) ? now.nextPermitTicks() : rate.periodTicks() / rate.permits();
		long missing = ticks() - next;
		if (missing <= 0 || !EARNING.contains(limit.algorithm())) {
			return 0;
		}
		return BigInteger.valueOf(missing)
			.multiply(BigInteger.valueOf(rate.permits()))
			.add(BigInteger.valueOf(rate.periodTicks() - 1))
			.divide(BigInteger.valueOf(rate.periodTicks()))
			.min(BigInteger.valueOf(Rate.MAX_PERMITS))
			.longValue();
	}

	private long ticks() {
		return this.retryAfter.toNanos() / 1000;
	}

}
