package io.tierlimit;

/**
 * What became of a request under one rule. The request may have been refused by another
 * one: outcomes are counted rule by rule.
 */
public enum RuleOutcome {

	/** The rule had nothing against it. */
	ALLOWED,

	/** The rule let it through later: it had to wait for permits that were to come. */
	WAITED,

	/** The rule refused it; others may have, too. */
	REFUSED,

	/** The rule would have refused it if it were enforced. */
	SHADOW_REFUSED,

	/** The store could not be reached, and the rule let it through undecided. */
	STORE_ALLOWED,

	/** The store could not be reached, and the rule stopped it. */
	STORE_DENIED,

	/**
	 * The store could not be reached, and this instance by itself had nothing against it.
	 * What it refuses by itself is {@link #REFUSED} or {@link #SHADOW_REFUSED}.
	 */
	STORE_LOCAL

}
