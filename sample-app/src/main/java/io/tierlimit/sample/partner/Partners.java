package io.tierlimit.sample.partner;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/**
 * All partners, by the key in their header.
 */
@Component
class Partners {

	static final String KEY = "X-Partner-Key";

	private static final Map<String, String> PARTNERS = Map.of("k-3141", "acme", "k-2718", "globex");

	@Nullable String find(@Nullable String key) {
		return (key != null) ? PARTNERS.get(key) : null;
	}

	/** The name of a partner; other callers are rejected. */
	String get(@Nullable String key) {
		String partner = find(key);
		if (partner == null) {
			throw new ResponseStatusException(HttpStatus.FORBIDDEN, "Only partners may use this endpoint.");
		}
		return partner;
	}

}
