package io.tierlimit.limit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * When a bucket is banned, and for how long: a function of the bucket's state and the
 * time.
 * <p>
 * A window begins with the first rejection that is not in the window of an earlier one.
 * The rejection that completes the number within the window starts a ban. A bucket with
 * fewer rejections in every window of that length is therefore never banned, and a bucket
 * with twice as many in one window always is. Rejections during a ban are not counted.
 * <p>
 * The first ban has the given duration. Each further ban lasts twice as long as the
 * previous one, up to a maximum. If a bucket is not banned for this maximum, its next ban
 * has the given duration again.
 *
 * @param after the number of rejections: 1 to 10<sup>12</sup>
 * @param within the length of the window in ticks: 1 tick to 3,650 days
 * @param duration the duration of the first ban in ticks: 1 tick to 3,650 days
 * @param max the maximum duration in ticks: from {@code duration} to 3,650 days
 */
public record BanPolicy(long after, long within, long duration, long max) {

	/**
	 * Creates a policy.
	 * @throws IllegalArgumentException if a number is out of range
	 */
	public BanPolicy {
		if (after < 1 || after > Rate.MAX_PERMITS) {
			throw new IllegalArgumentException(
					"ban.after must be from 1 to " + Rate.MAX_PERMITS + " rejections (was " + after + ")");
		}
		check("ban.within", within);
		check("ban.for", duration);
		check("ban.max", max);
		if (max < duration) {
			throw new IllegalArgumentException(
					"ban.max must not be shorter than ban.for, " + time(duration) + " (was " + time(max) + ")");
		}
	}

	private static void check(String name, long ticks) {
		if (ticks < 1 || ticks > Rate.MAX_TICKS) {
			throw new IllegalArgumentException(
					name + " must be above 0s and up to " + Rate.MAX_PERIOD.toDays() + "d (was " + time(ticks) + ")");
		}
	}

	private static Duration time(long ticks) {
		return Duration.of(ticks, ChronoUnit.MICROS);
	}

	/**
	 * Creates a policy.
	 * @param after the number of rejections, 1 or more
	 * @param within the length of the window; fractions of microseconds are ignored
	 * @param duration the duration of the first ban
	 * @param max the maximum duration
	 * @return the policy
	 * @throws IllegalArgumentException if a number is out of range
	 */
	public static BanPolicy of(long after, Duration within, Duration duration, Duration max) {
		return new BanPolicy(after, ticks(within), ticks(duration), ticks(max));
	}

	private static long ticks(Duration time) {
		return TimeUnit.MICROSECONDS.convert(time);
	}

	/**
	 * The duration of a ban.
	 * @param number the number of bans in a row, including this one: 1 or more
	 * @return ticks
	 */
	public long duration(long number) {
		boolean tooLong = number >= Long.numberOfLeadingZeros(this.duration);
		return tooLong ? this.max : Math.min(this.max, this.duration << (number - 1));
	}

	/**
	 * Whether a bucket rejects a charge because it is banned.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more; a ban does not reject a cost of 0
	 * @param now the current time in ticks
	 * @return whether the bucket rejects the charge
	 */
	public boolean rejects(BucketState state, long cost, long now) {
		return cost > 0 && state.isBanned(now);
	}

	/**
	 * Acquires permits from a bucket that may be banned.
	 * @param state the bucket; changed only if the cost is allowed
	 * @param limit the arithmetic of the bucket
	 * @param cost permits, 0 or more
	 * @param overdraft the permits that can be reserved
	 * @param now the current time in ticks
	 * @return the decision, with the current ban if there is one
	 */
	public Decision acquire(BucketState state, Limit limit, long cost, Overdraft overdraft, long now) {
		if (rejects(state, cost, now)) {
			return apply(state, cost, limit.inspect(state, cost, overdraft, now), now);
		}
		Decision decision = limit.acquire(state, cost, overdraft, now);
		if (decision.allowed()) {
			state.expireBans(now);
		}
		return apply(state, cost, decision, now);
	}

	/**
	 * Adds the ban to a decision. A banned bucket has no permits before the end of the
	 * ban.
	 * @param state the bucket; not changed
	 * @param cost permits, 0 or more
	 * @param decision the decision of the bucket as if it were not banned
	 * @param now the current time in ticks
	 * @return the decision, unchanged if the bucket is not banned
	 */
	public Decision apply(BucketState state, long cost, Decision decision, long now) {
		Ban ban = state.ban(now);
		return (ban != null) ? decision.during(ban, cost == 0) : decision;
	}

	/**
	 * Counts a rejection, and starts a ban if it completes the number.
	 * @param state the bucket, which must not be banned; only its rejections and bans
	 * change
	 * @param rejection the decision of the bucket
	 * @param now the current time in ticks
	 * @return the decision, with the ban if one has started
	 */
	public Decision count(BucketState state, Decision rejection, long now) {
		Ban ban = state.countRejection(this, now);
		return (ban != null) ? rejection.during(ban, false) : rejection;
	}

}
