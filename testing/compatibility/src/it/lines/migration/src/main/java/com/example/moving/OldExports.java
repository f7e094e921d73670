package com.example.moving;

import com.giffing.bucket4j.spring.boot.starter.context.RateLimiting;

import org.springframework.stereotype.Service;

@Service
class OldExports {

	@RateLimiting(name = "exports", cacheKey = "#user")
	public String export(String user) {
		return "Export for " + user;
	}

	@RateLimiting(name = "exports", cacheKey = "#user")
	public String preview(String user) {
		return "Preview for " + user;
	}

}
