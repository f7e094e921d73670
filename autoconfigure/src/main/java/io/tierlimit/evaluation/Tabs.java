package io.tierlimit.evaluation;

/**
 * Finds the tab that a call is put on.
 */
@FunctionalInterface
public interface Tabs {

	/**
	 * The tab of what this thread does.
	 * @return the tab of the web request that this thread serves, or a new one
	 */
	Tab current();

}
