package io.tierlimit.sample.order;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;

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
		this.limiter.acquire(PermitRequest.of("courier"));
		return "Parcel " + order + " is on its way.";
	}

}
