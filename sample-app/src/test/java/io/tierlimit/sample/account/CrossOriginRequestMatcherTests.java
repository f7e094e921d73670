package io.tierlimit.sample.account;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which requests come from a page of another origin.
 */
class CrossOriginRequestMatcherTests {

	private final CrossOriginRequestMatcher matcher = new CrossOriginRequestMatcher();

	@ParameterizedTest(name = "{0} Sec-Fetch-Site: {1}, Origin: {2} {3}")
	@CsvSource(textBlock = """
			POST,   cross-site,  http://evil.example,       true
			POST,   same-site,   http://evil.example,       true
			POST,   same-origin, http://shop.example:8080,  false
			POST,   none,        ,                          false
			DELETE, cross-site,  ,                          true
			GET,    cross-site,  ,                          false
			POST,   ,            http://shop.example:8080,  false
			POST,   ,            https://shop.example:8080, false
			POST,   ,            http://shop.example,       true
			POST,   ,            http://evil.example,       true
			POST,   ,            null,                      true
			POST,   ,            ,                          false""")
	void changesOfOtherOriginsMatch(String method, @Nullable String site, @Nullable String origin, boolean matches) {
		MockHttpServletRequest request = new MockHttpServletRequest(method, "/actuator/ratelimits");
		request.addHeader("Host", "shop.example:8080");
		if (site != null) {
			request.addHeader("Sec-Fetch-Site", site);
		}
		if (origin != null) {
			request.addHeader("Origin", origin);
		}
		assertThat(this.matcher.matches(request)).isEqualTo(matches);
	}

}
