package io.tierlimit;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

import io.tierlimit.limit.Burst;
import io.tierlimit.limit.Rate;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a limit in a {@link RuleDefinition}: the limit of the rule itself, or of
 * a plan. Immutable: every method with a parameter returns another definition. The
 * numbers are validated with the rule, at startup.
 */
public final class LimitDefinition {

	/** A limit without numbers. */
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
	 * Sets the rate at which permits are earned.
	 * @param permits how many permits per period, 1 or more
	 * @param period the period, 1 microsecond or more
	 * @return the limit with this rate
	 */
	public LimitDefinition rate(long permits, Duration period) {
		Objects.requireNonNull(period, "period");
		return new LimitDefinition(() -> new Rate(permits, period), this.burst, this.capacity, this.unlimited);
	}

	/**
	 * Sets the rate at which permits are earned.
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
	 * @throws IllegalArgumentException if the permits or the period are outside of the
	 * range of a rate
	 */
	public @Nullable Rate rate() {
		return (this.rate != null) ? this.rate.get() : null;
	}

	/**
	 * Sets the permits that a token bucket can save; by default the permits of the rate.
	 * @param permits the number of permits, 1 or more
	 * @return the limit with this burst
	 */
	public LimitDefinition burst(long permits) {
		return with(() -> new Burst.Permits(permits));
	}

	/**
	 * Sets the permits that a token bucket can save; by default the permits of the rate.
	 * @param time the time in which the rate earns them
	 * @return the limit with this burst
	 */
	public LimitDefinition burst(Duration time) {
		Objects.requireNonNull(time, "time");
		return with(() -> new Burst.Time(time));
	}

	/**
	 * Sets the permits that a token bucket can save; by default the permits of the rate.
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
	 * @throws IllegalArgumentException if its time is outside of the range of a burst
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
	 * Sets the permits that a fixed window can contain, including permits saved from
	 * earlier windows; by default the permits of the rate, so that nothing is saved.
	 * @param permits the number of permits, at least the permits of the rate
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
	 * Removes the limit for callers on the plan. Only plans can be unlimited.
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
	 * Whether any number is set.
	 * @return whether a rate, a burst or a capacity is set
	 */
	public boolean hasNumbers() {
		return this.rate != null || this.burst != null || this.capacity != null;
	}

}
