package com.example.moving;

import io.tierlimit.RateLimited;

import org.springframework.stereotype.Service;

@Service
class NewExports {

	@RateLimited(value = "exports", key = "#user")
	public String export(String user) {
		return "Export for " + user;
	}

	@RateLimited(value = "exports", key = "#user")
	public String preview(String user) {
		return "Preview for " + user;
	}

}
