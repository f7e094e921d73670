package io.tierlimit.autoconfigure.settings;

import io.tierlimit.rule.InvalidRulesException;

import org.springframework.context.ApplicationContextException;

/**
 * Problems that are found before any bean is created. The application does not start.
 * Spring logs the message of this exception, so the message is short. The failure
 * analysis prints the problems.
 */
public final class EarlyFailure extends ApplicationContextException {

	private static final long serialVersionUID = 1L;

	private EarlyFailure(InvalidRulesException cause) {
		super("The configuration of Tierlimit is not valid", cause);
	}

	/**
	 * Runs a check, and wraps its exception.
	 * @param check throws an exception if anything is not valid
	 */
	public static void of(Runnable check) {
		try {
			check.run();
		}
		catch (InvalidRulesException ex) {
			throw new EarlyFailure(ex);
		}
	}

}
