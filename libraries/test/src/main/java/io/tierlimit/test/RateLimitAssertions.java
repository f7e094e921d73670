package io.tierlimit.test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.assertj.MockMvcTester.MockMvcRequestBuilder;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/**
 * Entry points for assertions about the rate limits in a response:
 * {@code assertThat(response).isRateLimited().violates("per-user").retryAfter(Duration.ofMinutes(1))}.
 * <p>
 * A test class can statically import both this {@code assertThat} (for responses) and the
 * {@code assertThat} of AssertJ (for everything else). Spring's own assertions about a
 * result of {@code MockMvcTester} are available with {@code result.assertThat()}.
 *
 * @see RestTestClientAssertions
 */
public final class RateLimitAssertions {

	private RateLimitAssertions() {
	}

	/**
	 * Performs a request with MockMvc, and begins assertions about its response.
	 * @param request the request; each call of this method performs it once
	 * @return assertions about the response
	 */
	public static RateLimitAssert assertThat(MockMvcRequestBuilder request) {
		return assertThat(request.exchange());
	}

	/**
	 * Begins assertions about a result of MockMvc.
	 * @param result the result of a request that did not end with an exception
	 * @return assertions about its response
	 */
	public static RateLimitAssert assertThat(MvcTestResult result) {
		return assertThat(result.getResponse());
	}

	/**
	 * Begins assertions about a response of MockMvc.
	 * @param response the response
	 * @return assertions about it
	 */
	public static RateLimitAssert assertThat(MockHttpServletResponse response) {
		Map<String, List<String>> headers = new LinkedHashMap<>();
		for (String name : response.getHeaderNames()) {
			headers.put(name, response.getHeaders(name));
		}
		return assertThat(new RateLimitResponse(response.getStatus(), headers, text(response.getContentAsByteArray())));
	}

	/**
	 * Begins assertions about a response entity.
	 * @param response the response; its body is read if it is a {@code String} or a
	 * {@code byte[]}
	 * @return assertions about it
	 */
	public static RateLimitAssert assertThat(ResponseEntity<?> response) {
		return assertThat(new RateLimitResponse(response.getStatusCode().value(), headers(response.getHeaders()),
				text(response.getBody())));
	}

	/**
	 * Begins assertions about a response that any other client has received.
	 * @param response the parts of the response that show rate limits
	 * @return assertions about it
	 */
	public static RateLimitAssert assertThat(RateLimitResponse response) {
		return new RateLimitAssert(response);
	}

	static Map<String, List<String>> headers(HttpHeaders headers) {
		Map<String, List<String>> copy = new LinkedHashMap<>();
		headers.forEach((name, values) -> copy.put(name, new ArrayList<>(values)));
		return copy;
	}

	static @Nullable String text(@Nullable Object body) {
		return (body instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8)
				: (body instanceof String text) ? text : null;
	}

}
