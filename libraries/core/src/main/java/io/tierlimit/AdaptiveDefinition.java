package io.tierlimit;

import java.time.Duration;
import java.util.Objects;

/**
 * Defines when and how far the rate of a {@link RuleDefinition} is reduced. The values
 * are validated with the rule, at startup. Immutable: every method with a parameter
 * returns a changed copy.
 */
public final class AdaptiveDefinition {

	/** A definition without properties. */
	static final AdaptiveDefinition EMPTY = new AdaptiveDefinition(DefinitionTexts.EMPTY);

	private final DefinitionTexts texts;

	private AdaptiveDefinition(DefinitionTexts texts) {
		this.texts = texts;
	}

	/**
	 * Sets the rate below which the rule is never reduced. It is required.
	 * @param permits how many permits per period, 1 or more
	 * @param period the period, 1 microsecond or more
	 * @return a copy with this rate
	 */
	public AdaptiveDefinition minRate(long permits, Duration period) {
		return with("min-rate", LimitDefinition.text(permits, period));
	}

	/**
	 * Sets the latency that at most 10% of the requests may exceed; by default the
	 * latency is not measured.
	 * @param latency 1 ms to 60 s
	 * @return a copy with this latency
	 */
	public AdaptiveDefinition targetLatency(Duration latency) {
		return with("target-latency", latency.toString());
	}

	/**
	 * Sets the share of the requests that may fail; by default errors are not measured.
	 * @param share from 0, below 1
	 * @return a copy with this share
	 */
	public AdaptiveDefinition maxErrorRate(double share) {
		return with("max-error-rate", DefinitionTexts.percentage(share));
	}

	/**
	 * Sets the bean that reports overload; by default there is none.
	 * @param bean the name of an {@code OverloadSignal} bean
	 * @return a copy with this signal
	 */
	public AdaptiveDefinition signal(String bean) {
		return with("signal", Objects.requireNonNull(bean));
	}

	/**
	 * Sets the time in which the rate rises from 0 to the rate of the rule while the
	 * resource is healthy; by default one minute.
	 * @param time 10 s to 1 day
	 * @return a copy with this time
	 */
	public AdaptiveDefinition recovery(Duration time) {
		return with("recovery", time.toString());
	}

	/**
	 * Sets the name of the resource that the rule protects; by default the rule has its
	 * own resource. Rules of the same resource are reduced together.
	 * @param name the name
	 * @return a copy with this name
	 */
	public AdaptiveDefinition resource(String name) {
		return with("resource", Objects.requireNonNull(name));
	}

	/**
	 * Sets the priority among the rules of the resource; by default 0. Rules with a lower
	 * priority are reduced first, and recover last.
	 * @param priority any number
	 * @return a copy with this priority
	 */
	public AdaptiveDefinition priority(int priority) {
		return with("priority", Integer.toString(priority));
	}

	private AdaptiveDefinition with(String name, String text) {
		return new AdaptiveDefinition(this.texts.set(name, text));
	}

	DefinitionTexts texts() {
		return this.texts;
	}

}
