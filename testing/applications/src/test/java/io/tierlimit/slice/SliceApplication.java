package io.tierlimit.slice;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.KeyResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application of which a test takes a slice.
 */
@SpringBootApplication
class SliceApplication {

	@RestController
	static class Greetings {

		@GetMapping("/greeting")
		String greeting() {
			return "hello";
		}

	}

	@Component("tenant")
	static class Tenant implements KeyResolver {

		@Override
		public @Nullable String resolve(Caller caller) {
			return caller.header("X-Tenant");
		}

	}

}
