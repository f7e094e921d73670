package io.tierlimit.actuate;

import io.tierlimit.evaluation.CurrentMode;
import io.tierlimit.rule.KebabCase;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The mode of all rules.
 *
 * @param value {@code shadow}: no rule rejects requests; {@code enforce}: each rule has
 * its own mode
 * @param origin where the mode was set: a file and line, the place in a rule source, the
 * management endpoint, or {@code default}
 */
record ModeDescriptor(String value, String origin) implements OperationResponseBody {

	static ModeDescriptor of(CurrentMode mode) {
		return new ModeDescriptor(KebabCase.of(mode.mode()), mode.origin());
	}

}
