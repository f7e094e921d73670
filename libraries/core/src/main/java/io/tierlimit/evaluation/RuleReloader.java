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
	 * Reads the rules of all sources, and replaces the rule set if it has changed. If the
	 * rules are not valid, the previous set remains active.
	 * @return the result
	 */
	ReloadResult reload();

	/**
	 * Reads the rules like {@link #reload()}. The results of later reloads also contain
	 * the given problems, until the next call of this method.
	 * @param problems full sentences: which parts of the configuration cannot be read
	 * again; empty for none
	 * @return the result
	 */
	ReloadResult reload(List<String> problems);

	/**
	 * Sets the mode of all rules on this instance until it stops. This mode has
	 * precedence over all sources. It takes effect for the next request, even while a
	 * source cannot be read or has rules that are not valid.
	 * @param mode the mode; {@code null} for the mode that the sources set
	 * @return the current mode
	 */
	CurrentMode setMode(@Nullable RuleMode mode);

	/**
	 * The mode of all rules.
	 * @return the current mode
	 */
	CurrentMode mode();

	/**
	 * The result of the last reload.
	 * @return the result of the last reload, or of startup if there was no reload since
	 */
	ReloadResult last();

	/**
	 * The number of reloads for each outcome, without startup.
	 * @return a number for each outcome
	 */
	Map<ReloadResult.Outcome, Long> counts();

}
