package io.tierlimit.sample.order;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;

import org.springframework.stereotype.Component;

/**
 * Another company, which limits how often this shop may send queries.
 */
@Component
class Courier {

	private final RateLimiter limiter;

	Courier(RateLimiter limiter) {
		this.limiter = limiter;
	}

	/** Finds the parcel of an order. */
	String find(long order) {
		this.limiter.acquire(PermitRequest.of("courier"));
		return "Parcel " + order + " is on its way.";
	}

}
