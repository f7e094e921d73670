package io.tierlimit;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

import io.tierlimit.limit.Burst;
import io.tierlimit.limit.Rate;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a limit, as part of a {@link RuleDefinition}: those of the rule itself,
 * or of a plan. Immutable: every method with a parameter returns another definition. The
 * numbers are checked with the rule, at startup.
 */
public final class LimitDefinition {

	/** A limit without any number. */
	static final LimitDefinition EMPTY = new LimitDefinition(null, null, null, false);

	private final @Nullable Supplier<Rate> rate;

	private final @Nullable Supplier<Burst> burst;

	private final @Nullable Long capacity;

	private final boolean unlimited;

	private LimitDefinition(@Nullable Supplier<Rate> rate, @Nullable Supplier<Burst> burst, @Nullable Long capacity,
			boolean unlimited) {
		this.rate = rate;
		this.burst = burst;
		this.capacity = capacity;
		this.unlimited = unlimited;
	}

	/**
	 * Sets how fast permits are earned.
	 * @param permits how many permits per period, 1 or more
	 * @param period the period, 1 microsecond or more
	 * @return the limit with this rate
	 */
	public LimitDefinition rate(long permits, Duration period) {
		Objects.requireNonNull(period, "period");
		return new LimitDefinition(() -> new Rate(permits, period), this.burst, this.capacity, this.unlimited);
	}

	/**
	 * Sets how fast permits are earned.
	 * @param rate permits per period
	 * @return the limit with this rate
	 */
	public LimitDefinition rate(Rate rate) {
		Objects.requireNonNull(rate, "rate");
		return new LimitDefinition(() -> rate, this.burst, this.capacity, this.unlimited);
	}

	/**
	 * The rate.
	 * @return the rate; {@code null} if it is not set
	 * @throws IllegalArgumentException if the permits or the period are outside of what a
	 * rate accepts
	 */
	public @Nullable Rate rate() {
		return (this.rate != null) ? this.rate.get() : null;
	}

	/**
	 * Sets how many permits a token bucket can save; by default the permits of the rate.
	 * @param permits how many, 1 or more
	 * @return the limit with this burst
	 */
	public LimitDefinition burst(long permits) {
		return with(() -> new Burst.Permits(permits));
	}

	/**
	 * Sets how many permits a token bucket can save; by default the permits of the rate.
	 * @param time the time in which the rate earns them
	 * @return the limit with this burst
	 */
	public LimitDefinition burst(Duration time) {
		Objects.requireNonNull(time, "time");
		return with(() -> new Burst.Time(time));
	}

	/**
	 * Sets how many permits a token bucket can save; by default the permits of the rate.
	 * @param burst permits, or the time in which the rate earns them
	 * @return the limit with this burst
	 */
	public LimitDefinition burst(Burst burst) {
		Objects.requireNonNull(burst, "burst");
		return with(() -> burst);
	}

	private LimitDefinition with(Supplier<Burst> burst) {
		return new LimitDefinition(this.rate, burst, this.capacity, this.unlimited);
	}

	/**
	 * The burst.
	 * @return the burst; {@code null} if it is not set
	 * @throws IllegalArgumentException if its time is outside of what a burst accepts
	 */
	public @Nullable Burst burst() {
		return (this.burst != null) ? this.burst.get() : null;
	}

	/**
	 * Whether a burst is set, valid or not.
	 * @return whether it is set
	 */
	public boolean hasBurst() {
		return this.burst != null;
	}

	/**
	 * Sets how many permits a fixed window can save from earlier ones; by default the
	 * permits of the rate: none.
	 * @param permits how many, as many as the rate has or more
	 * @return the limit with this capacity
	 */
	public LimitDefinition capacity(long permits) {
		return new LimitDefinition(this.rate, this.burst, permits, this.unlimited);
	}

	/**
	 * The capacity.
	 * @return permits; {@code null} if it is not set
	 */
	public @Nullable Long capacity() {
		return this.capacity;
	}

	/**
	 * Sets that callers on the plan are not limited. Only plans can be unlimited.
	 * @return the plan without a limit
	 */
	public LimitDefinition unlimited() {
		return new LimitDefinition(this.rate, this.burst, this.capacity, true);
	}

	/**
	 * Whether callers on the plan are not limited.
	 * @return whether {@link #unlimited()} was called
	 */
	public boolean isUnlimited() {
		return this.unlimited;
	}

	/**
	 * Whether there is any number.
	 * @return whether a rate, a burst or a capacity is set
	 */
	public boolean hasNumbers() {
		return this.rate != null || this.burst != null || this.capacity != null;
	}

}
