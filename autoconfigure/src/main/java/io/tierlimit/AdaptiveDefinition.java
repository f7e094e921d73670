package io.tierlimit;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.tierlimit.limit.Rate;
import org.jspecify.annotations.Nullable;

/**
 * When the rate of a {@link RuleDefinition} is reduced, and how far. The values are
 * validated with the rule, at startup. Immutable: every method with a parameter returns a
 * changed copy.
 */
public final class AdaptiveDefinition {

	/** Nothing is set. */
	static final AdaptiveDefinition EMPTY = new AdaptiveDefinition(new Values());

	private final Values values;

	private AdaptiveDefinition(Values values) {
		this.values = values;
	}

	/**
	 * Sets the rate below which the rule is never reduced. It is required.
	 * @param permits how many permits per period, 1 or more
	 * @param period the period, 1 microsecond or more
	 * @return a copy with this rate
	 */
	public AdaptiveDefinition minRate(long permits, Duration period) {
		Objects.requireNonNull(period, "period");
		return with((values) -> values.minRate = () -> new Rate(permits, period));
	}

	/**
	 * The rate below which the rule is never reduced.
	 * @return the rate; {@code null} if it is not set
	 * @throws IllegalArgumentException if the permits or the period are outside of the
	 * range of a rate
	 */
	public @Nullable Rate minRate() {
		return (this.values.minRate != null) ? this.values.minRate.get() : null;
	}

	/**
	 * Sets the latency that at most 10% of the requests may exceed; by default the
	 * latency is not measured.
	 * @param latency 1 ms to 60 s
	 * @return a copy with this latency
	 */
	public AdaptiveDefinition targetLatency(Duration latency) {
		return with((values) -> values.targetLatency = Objects.requireNonNull(latency));
	}

	/**
	 * The latency that at most 10% of the requests may exceed.
	 * @return the latency; {@code null} if it is not measured
	 */
	public @Nullable Duration targetLatency() {
		return this.values.targetLatency;
	}

	/**
	 * Sets the share of the requests that may fail; by default errors are not measured.
	 * @param share from 0, below 1
	 * @return a copy with this share
	 */
	public AdaptiveDefinition maxErrorRate(double share) {
		return with((values) -> values.maxErrorRate = share);
	}

	/**
	 * The share of the requests that may fail.
	 * @return the share; {@code null} if errors are not measured
	 */
	public @Nullable Double maxErrorRate() {
		return this.values.maxErrorRate;
	}

	/**
	 * Sets the bean that reports overload; by default there is none.
	 * @param bean the name of an {@code OverloadSignal} bean
	 * @return a copy with this signal
	 */
	public AdaptiveDefinition signal(String bean) {
		return with((values) -> values.signal = Objects.requireNonNull(bean));
	}

	/**
	 * The name of the bean that reports overload.
	 * @return the name; {@code null} for none
	 */
	public @Nullable String signal() {
		return this.values.signal;
	}

	/**
	 * Sets the time in which the rate rises from 0 to that of the rule while the resource
	 * is healthy; by default one minute.
	 * @param time 10 s to 1 day
	 * @return a copy with this time
	 */
	public AdaptiveDefinition recovery(Duration time) {
		return with((values) -> values.recovery = Objects.requireNonNull(time));
	}

	/**
	 * The time in which the rate rises from 0 to that of the rule.
	 * @return the time; {@code null} for the default
	 */
	public @Nullable Duration recovery() {
		return this.values.recovery;
	}

	/**
	 * Sets the name of the resource that the rule protects; by default the rule has one
	 * of its own. Rules of the same resource are reduced together.
	 * @param name the name
	 * @return a copy with this name
	 */
	public AdaptiveDefinition resource(String name) {
		return with((values) -> values.resource = Objects.requireNonNull(name));
	}

	/**
	 * The name of the resource.
	 * @return the name; {@code null} for a resource of the rule's own
	 */
	public @Nullable String resource() {
		return this.values.resource;
	}

	/**
	 * Sets the priority among the rules of the resource; by default 0. Rules with a lower
	 * priority are reduced first, and recover last.
	 * @param priority any number
	 * @return a copy with this priority
	 */
	public AdaptiveDefinition priority(int priority) {
		return with((values) -> values.priority = priority);
	}

	/**
	 * The priority among the rules of the resource.
	 * @return the priority
	 */
	public int priority() {
		return this.values.priority;
	}

	private AdaptiveDefinition with(Consumer<Values> change) {
		Values changed = this.values.copy();
		change.accept(changed);
		return new AdaptiveDefinition(changed);
	}

	/** Mutable until a definition contains them. */
	private static final class Values implements Cloneable {

		private @Nullable Supplier<Rate> minRate;

		private @Nullable Duration targetLatency;

		private @Nullable Double maxErrorRate;

		private @Nullable String signal;

		private @Nullable Duration recovery;

		private @Nullable String resource;

		private int priority;

		private Values copy() {
			try {
				return (Values) clone();
			}
			catch (CloneNotSupportedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
