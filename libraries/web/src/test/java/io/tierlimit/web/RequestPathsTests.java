package io.tierlimit.web;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.util.pattern.PathPattern;

import static org.assertj.core.api.Assertions.assertThat;

class RequestPathsTests {

	private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");

	@Test
	void plainPathIsParsedOnce() {
		RequestPaths paths = paths("/orders/1", "/orders/1");
		assertThat(paths.sent()).isSameAs(paths.normalized());
		assertThat(paths.cleaned()).isSameAs(paths.normalized());
	}

	@ParameterizedTest
	@CsvSource({ "/a, /a", "/a/, /a", "//a, /a", "/a//b///c//, /a/b/c", "/a\\b, /a/b", "/\\a\\, /a", "/, /", "//, /" })
	void slashesAreCleaned(String path, String cleaned) {
		assertThat(paths("/sent", path).cleaned().value()).isEqualTo(cleaned);
	}

	@Test
	void contextPathIsNotPartOfAnyForm() {
		this.request.setContextPath("/shop");
		RequestPaths paths = paths("/shop/orders", "/orders");
		assertThat(paths.sent()).isSameAs(paths.normalized());
		assertThat(paths("/shop/orders;x=1", "/orders").sent().value()).isEqualTo("/orders;x=1");
	}

	@Test
	void pathInfoFollowsTheServletPath() {
		this.request.setPathInfo("/orders");
		assertThat(paths("/api/orders", "/api").normalized().value()).isEqualTo("/api/orders");
	}

	/**
	 * Whether the form for servlets matches, the form for Spring MVC matches and differs,
	 * and both forms match. A decoded path is not decoded again, and a semicolon in it
	 * does not begin a parameter. A URI that Spring cannot parse has one form.
	 */
	@ParameterizedTest
	@CsvSource({ "/orders, /orders, /orders, true, false, true", "/orders;x=1, /orders, /orders, true, true, true",
			"/x/../orders, /orders, /orders, true, false, false", "/orders, /other, /orders, false, true, false",
			"/orders/, /orders/, /orders, true, false, false", "/a%2541, /a%41, /a%41, true, true, true",
			"/a%2541, /a%41, /aA, false, false, false", "/orders%3Bx=1, /orders;x=1, /orders, false, false, false",
			"/%zz, /orders, /orders, true, false, true" })
	void patternMatchesTheFormsOfAPath(String sent, String served, String pattern, boolean normalized, boolean onlySent,
			boolean all) {
		RequestPaths paths = paths(sent, served);
		assertThat(paths.matchNormalized(pattern(pattern))).isEqualTo(normalized);
		assertThat(paths.matchSent(pattern(pattern))).isEqualTo(onlySent);
		assertThat(paths.matchForAll(pattern(pattern))).isEqualTo(all);
	}

	@ParameterizedTest
	@CsvSource({ "/actuator, /actuator, true", "/actuator/health, /actuator/health, true",
			"/actuators, /actuators, false", "/orders, /orders, false", "/actuator/../orders, /orders, false",
			"/x/../actuator, /actuator, false" })
	void pathIsBelowAnotherOnlyInBothForms(String sent, String served, boolean below) {
		assertThat(paths(sent, served).isBelow("/actuator")).isEqualTo(below);
	}

	@Test
	void textOfAMappingIsMatchedLiterally() {
		assertThat(RequestPaths.matchText(pattern("/orders/*"), "/orders/{id}")).isTrue();
		assertThat(RequestPaths.matchText(pattern("/orders/1"), "/orders/{id}")).isFalse();
	}

	private RequestPaths paths(String sent, String served) {
		this.request.setRequestURI(sent);
		this.request.setServletPath(served);
		return RequestPaths.of(this.request);
	}

	private static PathPattern pattern(String text) {
		return PathPatterns.parse(text);
	}

}
