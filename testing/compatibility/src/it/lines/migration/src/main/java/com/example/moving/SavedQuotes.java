package com.example.moving;

import io.tierlimit.RateLimitExceededException;

import org.springframework.stereotype.Service;

@Service
class SavedQuotes {

	private final NewQuotes quotes;

	SavedQuotes(NewQuotes quotes) {
		this.quotes = quotes;
	}

	String quote() {
		try {
			return this.quotes.quote();
		}
		catch (RateLimitExceededException ex) {
			return "saved quote";
		}
	}

}
