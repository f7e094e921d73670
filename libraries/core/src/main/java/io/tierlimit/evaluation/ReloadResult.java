package io.tierlimit.evaluation;

import java.time.Instant;
import java.util.List;

/**
 * The result of reading the rules of all sources.
 *
 * @param at the time at which the reload ended
 * @param outcome whether the rules were replaced
 * @param problems full sentences: why the rules are not valid, or why a source cannot be
 * read; empty if there was no problem
 */
public record ReloadResult(Instant at, Outcome outcome, List<String> problems) {

	/**
	 * Creates a result.
	 */
	public ReloadResult {
		problems = List.copyOf(problems);
	}

	/**
	 * What happened to the rules.
	 */
	public enum Outcome {

		/** The new rules are active. */
		REPLACED,

		/** The rules have not changed. */
		UNCHANGED,

		/** The rules are not valid: the previous rules remain active. */
		INVALID,

		/**
		 * A source or a file cannot be read: its previous rules remain active, together
		 * with the new rules of the other sources.
		 */
		UNAVAILABLE

	}

}
