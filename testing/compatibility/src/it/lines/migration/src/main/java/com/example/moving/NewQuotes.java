package com.example.moving;

import io.tierlimit.RateLimited;

import org.springframework.stereotype.Service;

@Service
class NewQuotes {

	@RateLimited("quotes")
	public String quote() {
		return "new quote";
	}

	@RateLimited(value = "batches", cost = "2")
	public String batch() {
		return "batch";
	}

	@RateLimited("ticks")
	public String tick() {
		return "tick";
	}

	@RateLimited(value = "offers-per-customer", key = "#customer")
	public String offer(String customer) {
		return "offer for " + customer;
	}

}
