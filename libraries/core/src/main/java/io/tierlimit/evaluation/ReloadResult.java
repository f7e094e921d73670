package io.tierlimit.evaluation;

import java.time.Instant;
import java.util.List;

/**
 * The result of reading the rules of all sources.
 *
 * @param at when it ended
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

		/** The new rules are in force. */
		REPLACED,

		/** The rules have not changed. */
		UNCHANGED,

		/** The rules are not valid: the previous ones remain in force. */
		INVALID,

		/**
		 * A source or a file cannot be read: what it has returned before remains in
		 * force, and the rules of the other sources are in force as they are now.
		 */
		UNAVAILABLE

	}

}
