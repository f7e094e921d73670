package io.tierlimit.recipes;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

import io.tierlimit.store.SimulatedTicker;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The handlers that the recipes limit, with a clock that does not advance.
 */
@RestController
class Handlers {

	@Bean
	SimulatedTicker ticker() {
		return new SimulatedTicker();
	}

	@GetMapping({ "/", "/api/products", "/admin/products" })
	Map<String, String> products() {
		return Map.of("1", "Espresso cup");
	}

	@GetMapping("/api/products/{id}")
	String product(@PathVariable String id) {
		return id;
	}

	@PostMapping({ "/api/products", "/api/exports" })
	String create() {
		return "created";
	}

	@PostMapping("/api/uploads")
	long upload(HttpServletRequest request) throws IOException {
		try (InputStream body = request.getInputStream()) {
			return body.readAllBytes().length;
		}
	}

}
