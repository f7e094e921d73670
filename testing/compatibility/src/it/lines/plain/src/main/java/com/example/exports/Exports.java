package com.example.exports;

import java.time.Duration;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDefinition;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;

/**
 * Exports data for customers. Each customer may export three times a day.
 */
public final class Exports {

	private final RateLimiter limiter;

	Exports(BucketStore store) {
		this.limiter = RateLimiter.of(store,
				RuleDefinition.of("exports").scope("user").rate(3, Duration.ofDays(1)),
				RuleDefinition.of("all-exports").rate(1000, Duration.ofDays(1)));
	}

	void export(String customer) {
		try {
			this.limiter.acquire(PermitRequest.of("exports").user(customer), PermitRequest.of("all-exports"));
			System.out.println("exported for " + customer);
		}
		catch (RateLimitExceededException ex) {
			System.out.println(customer + " must wait for " + ex.retryAfter());
		}
	}

	public static void main(String[] customers) {
		Exports exports = new Exports(new InMemoryBucketStore(Ticker.system(), 100_000));
		for (String customer : customers) {
			exports.export(customer);
		}
	}

}
