package io.tierlimit.evaluation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;

/**
 * Warns of each thing once a rule, however often it happens.
 */
final class OncePerRule {

	private final Log logger;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	OncePerRule(Log logger) {
		this.logger = logger;
	}

	void warn(String rule, String message) {
		String warning = "Rule '" + rule + "' " + message;
		if (!this.warned.contains(warning) && this.warned.add(warning)) {
			this.logger.warn(warning);
		}
	}

}
