package com.example.moving;

import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;

import org.springframework.stereotype.Service;

@Service
class OldQuotes {

	@RateLimiter(name = "quotes", fallbackMethod = "saved")
	public String quote() {
		return "new quote";
	}

	private String saved(RequestNotPermitted ex) {
		return "saved quote";
	}

	@RateLimiter(name = "batches", permits = 2)
	public String batch() {
		return "batch";
	}

	@RateLimiter(name = "ticks")
	public String tick() {
		return "tick";
	}

	@RateLimiter(name = "#root.args[0]", configuration = "per-customer")
	public String offer(String customer) {
		return "offer for " + customer;
	}

}
