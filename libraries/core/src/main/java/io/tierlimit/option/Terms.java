package io.tierlimit.option;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The terms of a rule for a caller: its limit, and whether it is charged or blocked.
 *
 * @param limit the limit; {@code null} for a plan that is unlimited
 * @param charged whether requests are charged. An unlimited caller is not charged, but
 * may have a bucket that was charged before, which operators can see
 * @param block the decision if the caller is blocked, in which case the store is not
 * called; otherwise {@code null}
 */
public record Terms(@Nullable Limit limit, boolean charged, @Nullable Decision block) {

	/**
	 * Creates the terms of a caller that is charged.
	 * @param limit the limit; {@code null} for none, without charges
	 * @return the terms
	 */
	public static Terms of(@Nullable Limit limit) {
		return new Terms(limit, limit != null, null);
	}

	/**
	 * Returns the terms of a caller without a limit.
	 * @return these terms without charges
	 */
	public Terms unlimited() {
		return new Terms(this.limit, false, null);
	}

	/**
	 * Returns the same terms with another limit.
	 * @param other the other limit
	 * @return the terms
	 */
	public Terms with(Limit other) {
		return other.equals(this.limit) ? this : new Terms(other, this.charged, this.block);
	}

}
