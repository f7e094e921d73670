package io.tierlimit.test;

import org.springframework.test.web.servlet.client.ExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;

/**
 * Entry points for assertions about the rate limits in a response to
 * {@code RestTestClient}, which Spring Boot 4.0 and later support. A test class can
 * import both this {@code assertThat} and the {@code assertThat} of
 * {@link RateLimitAssertions}.
 */
public final class RestTestClientAssertions {

	private RestTestClientAssertions() {
	}

	/**
	 * Begins assertions about a response.
	 * @param response the response, whose body is read
	 * @return assertions about it
	 */
	public static RateLimitAssert assertThat(ResponseSpec response) {
		return assertThat(response.returnResult(byte[].class));
	}

	/**
	 * Begins assertions about a result.
	 * @param result the result
	 * @return assertions about it
	 */
	public static RateLimitAssert assertThat(ExchangeResult result) {
		return RateLimitAssertions.assertThat(new RateLimitResponse(result.getStatus().value(),
				RateLimitAssertions.headers(result.getResponseHeaders()),
				RateLimitAssertions.text(result.getResponseBodyContent())));
	}

}
