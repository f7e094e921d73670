package io.tierlimit.explorer.settlement;

/**
 * A bound that the protocol promises.
 */
public enum SettlementBound {

	/** The permits that the bucket owes. */
	DEBT,

	/** The true use in a window, except what requests use beyond their estimates. */
	USE

}
