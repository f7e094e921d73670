package io.tierlimit.autoconfigure.rules;

import io.tierlimit.rule.InvalidRulesException;

import org.springframework.context.ApplicationContextException;

/**
 * Mistakes that stop startup before any bean is made. Spring logs the message of this
 * exception, a short one: the mistakes themselves are left to the failure analysis.
 */
final class EarlyFailure extends ApplicationContextException {

	private static final long serialVersionUID = 1L;

	private EarlyFailure(InvalidRulesException cause) {
		super("The configuration of Tierlimit is not valid", cause);
	}

	/** Runs a check. */
	static void of(Runnable check) {
		try {
			check.run();
		}
		catch (InvalidRulesException ex) {
			throw new EarlyFailure(ex);
		}
	}

}
