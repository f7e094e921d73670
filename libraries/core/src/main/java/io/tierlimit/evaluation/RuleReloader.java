package io.tierlimit.evaluation;

import java.util.List;
import java.util.Map;

import io.tierlimit.RuleMode;
import org.jspecify.annotations.Nullable;

/**
 * Changes the rules while the application runs.
 */
public interface RuleReloader {

	/**
	 * Reads the rules of all sources, and replaces the rule set if it has changed. If
	 * they are not valid, the previous set remains in force.
	 * @return the result
	 */
	ReloadResult reload();

	/**
	 * Reads the rules like {@link #reload()}. The problems are also those of later
	 * reloads, until the next call.
	 * @param problems full sentences: which parts of the configuration cannot be read
	 * again; empty for none
	 * @return the result
	 */
	ReloadResult reload(List<String> problems);

	/**
	 * Sets the mode of all rules on this instance until it stops, above all sources. It
	 * is in force for the next request, also while a source cannot be read or has rules
	 * that are not valid.
	 * @param mode the mode; {@code null} for that of the sources
	 * @return the mode in force
	 */
	ModeInForce setMode(@Nullable RuleMode mode);

	/**
	 * The mode of all rules.
	 * @return the mode in force
	 */
	ModeInForce mode();

	/**
	 * The result of the last reload.
	 * @return the result; that of startup if there was none since
	 */
	ReloadResult last();

	/**
	 * The number of reloads by outcome, without startup.
	 * @return a number for each outcome
	 */
	Map<ReloadResult.Outcome, Long> counts();

}
