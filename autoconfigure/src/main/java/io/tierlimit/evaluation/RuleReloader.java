package io.tierlimit.evaluation;

import java.util.Map;

/**
 * Reads the rules of all sources again while the application runs.
 */
public interface RuleReloader {

	/**
	 * Reads the rules of all sources, and replaces the rule set if it has changed. If
	 * they are not valid, the previous set remains in force.
	 * @return the result
	 */
	ReloadResult reload();

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
