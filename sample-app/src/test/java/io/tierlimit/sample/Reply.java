package io.tierlimit.sample;

import java.net.http.HttpHeaders;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.test.RateLimitAssert;
import io.tierlimit.test.RateLimitAssertions;
import io.tierlimit.test.RateLimitResponse;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;

/**
 * A response of the shop.
 */
record Reply(int status, HttpHeaders fields, String body) implements AssertProvider<RateLimitAssert> {

	private static final Pattern REMAINING = Pattern.compile("\"([^\"]+)\";r=(\\d+)");

	@Nullable String field(String name) {
		return this.fields.firstValue(name).orElse(null);
	}

	/** The remaining permits in the RateLimit header, by rule. */
	Map<String, Long> remaining() {
		Map<String, Long> remaining = new TreeMap<>();
		Matcher items = REMAINING.matcher(this.fields.firstValue("RateLimit").orElse(""));
		while (items.find()) {
			remaining.put(items.group(1), Long.valueOf(items.group(2)));
		}
		return remaining;
	}

	long retryAfter() {
		return this.fields.firstValueAsLong("Retry-After").orElseThrow();
	}

	@Override
	public RateLimitAssert assertThat() {
		return RateLimitAssertions.assertThat(new RateLimitResponse(this.status, this.fields.map(), this.body));
	}

}
