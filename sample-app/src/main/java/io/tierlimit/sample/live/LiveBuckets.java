package io.tierlimit.sample.live;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;

import org.springframework.stereotype.Component;

/**
 * Reads the buckets of the rules {@code live-*}. Reading does not consume permits.
 */
@Component
class LiveBuckets {

	private final RateLimiter limiter;

	LiveBuckets(RateLimiter limiter) {
		this.limiter = limiter;
	}

	/** The buckets of an address, and the buckets of the customers. */
	List<LiveBucket> seenFrom(String address) {
		List<LiveBucket> buckets = new ArrayList<>();
		add(buckets, "everybody", PermitRequest.of("live-everybody").endpoint("POST /live/requests"));
		add(buckets, address, PermitRequest.of("live-per-address").ip(address));
		add(buckets, "fred", PermitRequest.of("live-per-user").user("fred").plan("free"));
		add(buckets, "paula", PermitRequest.of("live-per-user").user("paula").plan("pro"));
		add(buckets, "emma", PermitRequest.of("live-per-user").user("emma").plan("enterprise"));
		add(buckets, "fred", PermitRequest.of("live-exports").user("fred"));
		add(buckets, "paula", PermitRequest.of("live-exports").user("paula"));
		add(buckets, "fred", PermitRequest.of("live-tokens").user("fred"));
		return buckets;
	}

	/** Adds a bucket, unless the plan is unlimited or the store is not available. */
	private void add(List<LiveBucket> buckets, String whose, PermitRequest request) {
		this.limiter.peek(request.cost(0))
			.decisions()
			.forEach((decision) -> buckets.add(LiveBucket.of(whose, decision)));
	}

}
