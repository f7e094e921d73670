package io.tierlimit.recipes;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;

import org.springframework.stereotype.Component;

@Component
class ChatMessages {

	private final RateLimiter limiter;

	ChatMessages(RateLimiter limiter) {
		this.limiter = limiter;
	}

	boolean isAllowed(String user) {
		return this.limiter.tryAcquire(PermitRequest.of("websocket-messages").user(user)).allowed();
	}

}
