package io.tierlimit.option;

import io.tierlimit.key.ExpressionFact;
import io.tierlimit.key.FinishedRequest;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the estimated cost of requests by their actual cost.
 */
public interface CostSettlement {

	/**
	 * The largest cost. More permits can never be consumed, and sums of many costs do not
	 * overflow.
	 */
	long MAX_COST = 1_000 * Rate.MAX_PERMITS;

	/**
	 * Whether the actual cost depends on a fact.
	 * @param fact the fact
	 * @return whether {@link #actualCost} reads it
	 */
	boolean reads(ExpressionFact fact);

	/**
	 * The actual cost of a finished request.
	 * @param request the request
	 * @return permits, 0 or more; {@code null} if the cost is unknown, so that the
	 * estimate remains
	 */
	@Nullable Long actualCost(FinishedRequest request);

	/**
	 * The permits that a bucket may owe because of actual costs above the estimates.
	 * @param limit the limit of the charge
	 * @return permits, 0 or more
	 */
	long maxDebt(Limit limit);

	/**
	 * Called with the permits that a bucket could not consume.
	 * @param permits permits, 0 or more
	 */
	void dropped(long permits);

	/**
	 * Called once for each cost that was settled.
	 * @param estimate the estimated permits
	 * @param actual the actual permits
	 */
	void settled(long estimate, long actual);

	/** Called if the actual cost of a request is unknown. */
	void unknown();

}
