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
import org.jspecify.annotations.Nullable;

/**
 * The level of a bucket as another party reports it.
 * <p>
 * A bucket without permits refills at its own rate. To have no permit for a longer time,
 * it must owe the permits that it earns in that time. The charge may not owe more, so if
 * several instances report the same level, only the first charge is allowed.
 *
 * @param remaining the permits that are left
 * @param retryAfter the time until the next permit, if none is left; at most an hour
 */
record ReportedLevel(long remaining, Duration retryAfter) {

	/** A party cannot stop calls for a longer time by a single report. */
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
	 * @param now the decision on it
	 * @return the charge; {@code null} if the bucket is not above this level
	 */
	@Nullable Charge difference(Charge none, RuleDecision now) {
		long excess = Math.max(0, now.decision().remaining() - this.remaining);
		// While the store is unavailable, the limit is this instance's share.
		long debt = (this.remaining == 0) ? debt(now.limit(), now.decision()) : 0;
		ChargeOptions options = none.options();
		Overdraft overdraft = (debt > 0) ? Overdraft.ofTicks(ticks()) : Overdraft.NONE;
		return (excess + debt == 0) ? null : new Charge(none.key(), none.limit(), excess + debt,
				new ChargeOptions(options.shadow(), options.onStoreFailure(), false, overdraft, null, true));
	}

	/**
	 * Whether a bucket owes so much that programs do not wait for its permits. A bucket
	 * that owes permits only to programs that wait never owes so much.
	 * @param now a decision on the bucket
	 * @param options how much it may owe without a report
	 */
	static boolean isPaused(RuleDecision now, RuleChargeOptions options) {
		Rate rate = now.limit().rate();
		long onePermit = rate.periodTicks() / rate.permits() + 1;
		return options.reserving().overdraft().permits() == 0 && EARNING.contains(now.limit().algorithm())
				&& now.decision().nextPermitTicks() > options.waiting().overdraft().ticks() + onePermit;
	}

	/**
	 * The permits that are earned between the next permit of the bucket and the reported
	 * one, rounded up.
	 */
	private long debt(Limit limit, Decision now) {
		Rate rate = limit.rate();
		long next = (now.nextPermitTicks() > 0) ? now.nextPermitTicks() : rate.periodTicks() / rate.permits();
		long missing = ticks() - next;
		if (missing <= 0 || !EARNING.contains(limit.algorithm())) {
			return 0;
		}
		BigInteger[] earned = BigInteger.valueOf(missing)
			.multiply(BigInteger.valueOf(rate.permits()))
			.divideAndRemainder(BigInteger.valueOf(rate.periodTicks()));
		BigInteger debt = earned[0].add(BigInteger.valueOf(earned[1].signum()));
		return debt.min(BigInteger.valueOf(Rate.MAX_PERMITS)).longValue();
	}

	private long ticks() {
		return this.retryAfter.toNanos() / 1000;
	}

}
