package io.tierlimit.sample.order;

import io.tierlimit.evaluation.Claim;
import io.tierlimit.evaluation.RateLimiter;

import org.springframework.stereotype.Component;

/**
 * Another company, which lets this shop ask so often and no more.
 */
@Component
class Courier {

	private final RateLimiter limiter;

	Courier(RateLimiter limiter) {
		this.limiter = limiter;
	}

	/** Tells where the parcel of an order is. */
	String find(long order) {
		this.limiter.acquire(Claim.of("courier"));
		return "Parcel " + order + " is on its way.";
	}

}
