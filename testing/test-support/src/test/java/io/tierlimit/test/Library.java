package io.tierlimit.test;

import io.tierlimit.RateLimited;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A small application with limits.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Library {

	/** Two rules for requests in {@link LibraryTest}, and an inline one for returns. */
	@RestController
	static class Books {

		@GetMapping("/books")
		String list() {
			return "Emma";
		}

		@GetMapping("/returns")
		@RateLimited(name = "returns", rate = "1/h")
		String refund() {
			return "Thanks";
		}

	}

}
