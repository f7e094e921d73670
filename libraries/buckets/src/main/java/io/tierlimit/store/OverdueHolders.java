package io.tierlimit.store;

import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Limit;
import io.tierlimit.logging.OnceLogger;

/**
 * Warns of requests that are in flight for longer than the maximum duration of their
 * {@link Concurrency} limit, once for each rule.
 */
public final class OverdueHolders {

	private final OnceLogger warnings;

	/**
	 * Creates warnings.
	 * @param category the class that the warnings come from
	 */
	public OverdueHolders(Class<?> category) {
		this.warnings = new OnceLogger(category);
	}

	/**
	 * Logs the first request of a rule.
	 * @param rule the id of the rule
	 */
	public void warn(String rule) {
		this.warnings.warn(rule,
				"Rule '" + rule + "': a request has held its permits for max-duration. They "
						+ "are now available to other requests, although the request may still be in flight. Raise "
						+ "max-duration if such requests are expected.",
				null);
	}

	/**
	 * Logs the first request of a rule, if the request releases its permits after the
	 * maximum duration.
	 * @param released the charge that is released
	 * @param now the current time in ticks
	 */
	public void warnIfOverdue(Charge released, long now) {
		Limit limit = released.limit();
		if (limit.algorithm().holdsPermits() && released.receipt() != null
				&& now - released.receipt().at() >= limit.rate().periodTicks()) {
			warn(released.key().rule());
		}
	}

}
