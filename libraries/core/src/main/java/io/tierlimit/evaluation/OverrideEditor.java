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
	 * Stores an override, which takes effect on this instance at once.
	 * @param id the id of the override
	 * @param properties its properties, with the names and values of the configuration
	 * @return the result
	 */
	Edit set(String id, Map<String, String> properties);

	/**
	 * Removes a stored override, which has no effect on this instance from then on.
	 * @param id the id of the override
	 * @return the result
	 */
	Edit remove(String id);

	/**
	 * The origin of an override.
	 * @param override a current override
	 * @return a file and line, a table and row, or the management endpoint
	 */
	String originOf(CallerOverride override);

	/**
	 * An override and its origin.
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
	 * @param before the override with that id before the edit; {@code null} for none
	 * @param after the override with that id after the edit; {@code null} for none
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

			/**
			 * The override is not valid, or is in a source from which it cannot be
			 * removed.
			 */
			INVALID,

			/** The store failed. */
			UNAVAILABLE

		}

	}

}
