package io.tierlimit.limit;

/**
 * The permits of an actual cost that a bucket could not consume when a charge was
 * settled.
 *
 * @param dropped the permits beyond the maximum debt, which were not consumed
 * @param reached whether the bucket owes the maximum debt, so that a settlement cannot
 * consume further permits at present
 */
public record Overrun(long dropped, boolean reached) {

	/** Everything was consumed, and more could be consumed. */
	public static final Overrun NONE = new Overrun(0, false);

}
