package io.tierlimit.evaluation;

import java.util.List;
import java.util.Map;

import io.tierlimit.rule.CallerOverride;
import org.jspecify.annotations.Nullable;

/**
 * Changes overrides while the application runs. The rule sources are not read for an
 * edit, so problems with their rules do not prevent it. An edit waits only for the source
 * that stores it.
 */
public interface OverrideEditor {

	/**
	 * Stores an override, and brings it into force on this instance.
	 * @param id the id of the override
	 * @param properties its properties, with the names and values of the configuration
	 * @return the result
	 */
	Edit set(String id, Map<String, String> properties);

	/**
	 * Removes an override that was stored before, from this instance at once.
	 * @param id the id of the override
	 * @return the result
	 */
	Edit remove(String id);

	/**
	 * The place of an override.
	 * @param override an override of the rules in force
	 * @return a file and line, a table and row, or the management endpoint
	 */
	String originOf(CallerOverride override);

	/**
	 * An override and its place.
	 *
	 * @param override the override
	 * @param origin as in {@link #originOf}
	 */
	record Placed(CallerOverride override, String origin) {

	}

	/**
	 * The result of an edit.
	 *
	 * @param outcome whether anything has changed
	 * @param problems full sentences; empty if there are none
	 * @param before the override with that id before; {@code null} for none
	 * @param after the override with that id now; {@code null} for none
	 */
	record Edit(Outcome outcome, List<String> problems, @Nullable Placed before, @Nullable Placed after) {

		/**
		 * The outcome of an edit.
		 */
		public enum Outcome {

			/** The override is stored, or removed. */
			DONE,

			/** No override has that id. */
			UNKNOWN,

			/** The override is not valid, or is not stored where it could be removed. */
			INVALID,

			/** The store failed. */
			UNAVAILABLE

		}

	}

}
