package io.tierlimit;

import java.time.Duration;

import io.tierlimit.limit.Rate;

/**
 * The numbers of a limit in a {@link RuleDefinition}: the limit of the rule itself, or of
 * a plan. Immutable: every method with a parameter returns another definition. The
 * numbers are validated with the rule, at startup.
 */
public final class LimitDefinition {

	/** A limit without numbers. */
	static final LimitDefinition EMPTY = new LimitDefinition(DefinitionTexts.EMPTY);

	private final DefinitionTexts texts;

	private LimitDefinition(DefinitionTexts texts) {
		this.texts = texts;
	}

	/**
	 * Sets the rate at which permits become available.
	 * @param permits how many permits per period, 1 or more
	 * @param period the period, 1 microsecond or more
	 * @return the limit with this rate
	 */
	public LimitDefinition rate(long permits, Duration period) {
		return with("rate", text(permits, period));
	}

	/**
	 * Sets the rate at which permits become available.
	 * @param rate permits per period
	 * @return the limit with this rate
	 */
	public LimitDefinition rate(Rate rate) {
		return with("rate", text(rate.permits(), rate.period()));
	}

	/**
	 * Sets the maximum number of permits in a token bucket or a fixed window; by default
	 * the permits of the rate.
	 * @param permits the number of permits, 1 or more; for a fixed window at least the
	 * permits of the rate
	 * @return the limit with this burst
	 */
	public LimitDefinition burst(long permits) {
		return with("burst", Long.toString(permits));
	}

	/**
	 * Sets the maximum number of permits in a token bucket or a fixed window; by default
	 * the permits of the rate.
	 * @param time the time in which the rate makes this number available; for a fixed
	 * window at least the period of the rate
	 * @return the limit with this burst
	 */
	public LimitDefinition burst(Duration time) {
		return with("burst", time.toString());
	}

	/**
	 * Sets the number of permits that can be in use at the same time, with the algorithm
	 * {@code CONCURRENCY}.
	 * @param permits the number of permits, 1 to 1,000
	 * @return the limit with this number
	 */
	public LimitDefinition limit(long permits) {
		return with("limit", Long.toString(permits));
	}

	private LimitDefinition with(String name, String text) {
		return new LimitDefinition(this.texts.set(name, text));
	}

	/** A rate in the format of the configuration, even if it is not valid. */
	static String text(long permits, Duration period) {
		return permits + "/" + period;
	}

	DefinitionTexts texts() {
		return this.texts;
	}

	/**
	 * Removes the limit for callers on the plan. Only plans can be unlimited.
	 * @return the plan without a limit
	 */
	public LimitDefinition unlimited() {
		return with("unlimited", "true");
	}

}
