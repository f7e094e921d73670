package io.tierlimit.limit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The decision on one charge. Ticks are microseconds from the time of the decision.
 * Immutable; decisions with the same numbers are equal.
 */
public final class Decision {

	/** The wait of a request that can never be allowed. */
	public static final long NEVER = Long.MAX_VALUE;

	/**
	 * The wait of a rejected request if it is not known when permits become available.
	 */
	public static final long UNKNOWN = Long.MAX_VALUE - 1;

	private final boolean allowed;

	private final long remaining;

	/**
	 * If rejected: ticks until a retry is allowed. If allowed: ticks until the reserved
	 * permits are earned.
	 */
	private final long waitTicks;

	/**
	 * Calculates {@link #nextPermitTicks()} and {@link #resetTicks()} when they are read;
	 * {@code null} if they were calculated before.
	 * <p>
	 * Most requests are allowed, and the two times are read for some requests only. They
	 * need two of the three divisions of a decision.
	 */
	private final @Nullable EarningLimit limit;

	/**
	 * Ticks until the next whole permit; if {@link #limit} is set, the earned fraction.
	 */
	private final long nextPermit;

	private final long resetTicks;

	private final @Nullable Ban ban;

	private final boolean blocked;

	/**
	 * Creates a decision.
	 * @param allowed whether this bucket had enough permits, or they could be reserved
	 * @param remaining whole permits left, after the charge if it was acquired; never
	 * negative
	 * @param retryAfterTicks ticks until a request of the same cost is allowed if no
	 * other request consumes permits in the meantime; 0 if this request is allowed,
	 * {@link #NEVER} if its cost can never be covered, {@link #UNKNOWN} if the time is
	 * not known
	 * @param nextPermitTicks ticks until there is one whole permit more than
	 * {@code remaining}; 0 if the bucket is full
	 * @param resetTicks ticks until the bucket is full; 0 if it is
	 * @param delayTicks ticks until the reserved permits are earned: an allowed request
	 * has to wait this long; 0 if there were enough permits, or if the request is
	 * rejected
	 */
	public Decision(boolean allowed, long remaining, long retryAfterTicks, long nextPermitTicks, long resetTicks,
			long delayTicks) {
		this(allowed, remaining, allowed ? delayTicks : retryAfterTicks, null, nextPermitTicks, resetTicks);
	}

	/**
	 * Creates a decision without a reservation.
	 * @param allowed whether this bucket had enough permits
	 * @param remaining whole permits left, after the charge if it was acquired
	 * @param retryAfterTicks ticks until a request of the same cost is allowed
	 * @param nextPermitTicks ticks until there is one whole permit more
	 * @param resetTicks ticks until the bucket is full
	 */
	public Decision(boolean allowed, long remaining, long retryAfterTicks, long nextPermitTicks, long resetTicks) {
		this(allowed, remaining, retryAfterTicks, nextPermitTicks, resetTicks, 0);
	}

	/**
	 * Creates a decision without a ban or a block. A separate constructor for speed: the
	 * JIT compiler does not inline a method with a parameter of type {@link Ban} before
	 * that class is loaded, which is at the first ban.
	 */
	private Decision(boolean allowed, long remaining, long waitTicks, @Nullable EarningLimit limit, long nextPermit,
			long resetTicks) {
		this.allowed = allowed;
		this.remaining = remaining;
		this.waitTicks = waitTicks;
		this.limit = limit;
		this.nextPermit = nextPermit;
		this.resetTicks = resetTicks;
		this.ban = null;
		this.blocked = false;
	}

	private Decision(boolean allowed, long remaining, long waitTicks, @Nullable EarningLimit limit, long nextPermit,
			long resetTicks, @Nullable Ban ban, boolean blocked) {
		this.allowed = allowed;
		this.remaining = remaining;
		this.waitTicks = waitTicks;
		this.limit = limit;
		this.nextPermit = nextPermit;
		this.resetTicks = resetTicks;
		this.ban = ban;
		this.blocked = blocked;
	}

	/**
	 * Creates the rejection of a caller that is blocked, whatever its bucket contains.
	 * @param ticks the time until the end of the block: 1 or more, or {@link #NEVER}
	 * @return the decision
	 */
	public static Decision blocked(long ticks) {
		long end = Math.min(ticks, Rate.MAX_TICKS);
		return new Decision(false, 0, ticks, null, end, end, null, true);
	}

	/**
	 * Creates the decision on an allowed charge on a bucket without debt. Its times are
	 * calculated when they are read.
	 */
	static Decision allowed(EarningLimit limit, long consumed, long earned) {
		return new Decision(true, limit.capacity() - consumed, 0, limit, earned, 0);
	}

	/**
	 * Returns the same decision for a banned bucket: it has no permits before the end of
	 * the ban. A charge of 0 permits remains allowed.
	 */
	Decision during(Ban current, boolean free) {
		long wait = free ? 0 : Math.max(retryAfterTicks(), current.ticks());
		return new Decision(free, 0, wait, null, Math.max(nextPermitTicks(), current.ticks()),
				Math.max(resetTicks(), current.ticks()), current, this.blocked);
	}

	/**
	 * Returns the same decision as of a later time: the times until more permits are
	 * shorter.
	 * @param ticks the wait
	 * @return the decision after the wait, with the same number of remaining permits,
	 * although the bucket may have earned more
	 */
	public Decision after(long ticks) {
		long wait = this.allowed ? this.waitTicks : later(this.waitTicks, ticks);
		return new Decision(this.allowed, this.remaining, wait, null, later(nextPermitTicks(), ticks),
				later(resetTicks(), ticks), this.ban, this.blocked);
	}

	private static long later(long wait, long ticks) {
		return (wait == 0 || wait >= UNKNOWN) ? wait : Math.max(1, wait - ticks);
	}

	/**
	 * Whether the charge is allowed.
	 * @return whether this bucket had enough permits, or they could be reserved
	 */
	public boolean allowed() {
		return this.allowed;
	}

	/**
	 * The permits in the bucket.
	 * @return whole permits left, after the charge if it was acquired; never negative
	 */
	public long remaining() {
		return this.remaining;
	}

	/**
	 * Time until a request of the same cost is allowed if no other request consumes
	 * permits in the meantime.
	 * @return ticks; 0 if this request is allowed, {@link #NEVER} if its cost can never
	 * be covered, {@link #UNKNOWN} if the time is not known
	 */
	public long retryAfterTicks() {
		return this.allowed ? 0 : this.waitTicks;
	}

	/**
	 * Time until there is one whole permit more than {@link #remaining()}.
	 * @return ticks; 0 if the bucket is full
	 */
	public long nextPermitTicks() {
		return (this.limit != null) ? this.limit.ticksToEarn(Math.min(1, consumed(this.limit)), this.nextPermit)
				: this.nextPermit;
	}

	/**
	 * Time until the bucket is full.
	 * @return ticks; 0 if the bucket is full
	 */
	public long resetTicks() {
		return (this.limit != null) ? this.limit.ticksToEarn(consumed(this.limit), this.nextPermit) : this.resetTicks;
	}

	private long consumed(EarningLimit of) {
		return of.capacity() - this.remaining;
	}

	/**
	 * Time until the reserved permits are earned: an allowed request has to wait this
	 * long.
	 * @return ticks; 0 if there were enough permits, or if the charge is rejected
	 */
	public long delayTicks() {
		return this.allowed ? this.waitTicks : 0;
	}

	/**
	 * The ban of the bucket.
	 * @return the current ban, which this decision may have started; {@code null} for
	 * none
	 */
	public @Nullable Ban ban() {
		return this.ban;
	}

	/**
	 * Whether the caller is blocked, whatever its bucket contains.
	 * @return whether an operator has blocked the caller
	 */
	public boolean blocked() {
		return this.blocked;
	}

	/**
	 * Whether a request of this cost can never be allowed.
	 * @return whether no wait is long enough
	 */
	public boolean neverAllowed() {
		return retryAfterTicks() == NEVER;
	}

	/**
	 * Whether it is not known when a request of the same cost is allowed, because this
	 * depends on the holders of the permits.
	 * @return whether the wait is not known, although the request can be allowed
	 */
	public boolean isWaitUnknown() {
		return retryAfterTicks() == UNKNOWN;
	}

	/**
	 * Time until a request of the same cost is allowed; zero if this request is allowed.
	 * @return the exact wait; {@code null} if it can never be allowed, or if the wait is
	 * {@linkplain #isWaitUnknown() not known}
	 */
	public @Nullable Duration retryAfter() {
		return (neverAllowed() || isWaitUnknown()) ? null : Duration.of(retryAfterTicks(), ChronoUnit.MICROS);
	}

	/**
	 * Time until there is one whole permit more; zero if the bucket is full.
	 * @return the exact time
	 */
	public Duration nextPermitAfter() {
		return Duration.of(nextPermitTicks(), ChronoUnit.MICROS);
	}

	/**
	 * Time until the bucket is full; zero if it is full.
	 * @return the exact time
	 */
	public Duration resetAfter() {
		return Duration.of(resetTicks(), ChronoUnit.MICROS);
	}

	/**
	 * Time until the reserved permits are earned; zero if there were enough permits.
	 * @return the exact time
	 */
	public Duration delay() {
		return Duration.of(delayTicks(), ChronoUnit.MICROS);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Decision that && this.allowed == that.allowed && this.remaining == that.remaining
				&& this.waitTicks == that.waitTicks && nextPermitTicks() == that.nextPermitTicks()
				&& resetTicks() == that.resetTicks() && Objects.equals(this.ban, that.ban)
				&& this.blocked == that.blocked;
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.allowed, this.remaining, this.waitTicks, nextPermitTicks(), resetTicks(), this.ban,
				this.blocked);
	}

	@Override
	public String toString() {
		return (this.allowed ? "allowed" : "rejected") + ", " + this.remaining + " remaining, retry after "
				+ retryAfterTicks() + ", next permit after " + nextPermitTicks() + ", full after " + resetTicks()
				+ ", delayed by " + delayTicks() + " ticks" + ((this.ban != null) ? ", " + this.ban : "")
				+ (this.blocked ? ", blocked" : "");
	}

}
