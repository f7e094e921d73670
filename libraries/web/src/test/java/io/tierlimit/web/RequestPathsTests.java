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

	@Test
	void decodedPathIsNotDecodedAgain() {
		RequestPaths paths = paths("/a%2541", "/a%41");
		assertThat(paths.matchNormalized(pattern("/a%41"))).isTrue();
		assertThat(paths.matchNormalized(pattern("/aA"))).isFalse();
	}

	@Test
	void semicolonOfADecodedPathDoesNotBeginAParameter() {
		RequestPaths paths = paths("/orders%3Bx=1", "/orders;x=1");
		assertThat(paths.matchNormalized(pattern("/orders"))).isFalse();
		assertThat(paths.matchSent(pattern("/orders"))).isFalse();
	}

	@Test
	void uriThatSpringCannotParseIsReadAsByTheContainer() {
		RequestPaths paths = paths("/%zz", "/orders");
		assertThat(paths.sent()).isSameAs(paths.normalized());
		assertThat(paths.matchForAll(pattern("/orders"))).isTrue();
	}

	@Test
	void cleanedPathMatchesLikeTheNormalizedOne() {
		assertThat(paths("/orders/", "/orders/").matchNormalized(pattern("/orders"))).isTrue();
		assertThat(paths("/orders/", "/orders/").matchForAll(pattern("/orders"))).isFalse();
	}

	@Test
	void sentPathMatchesOnlyIfItDiffers() {
		assertThat(paths("/orders", "/orders").matchSent(pattern("/orders"))).isFalse();
		assertThat(paths("/orders;x=1", "/orders").matchSent(pattern("/orders"))).isTrue();
		assertThat(paths("/x/../orders", "/orders").matchSent(pattern("/orders"))).isFalse();
	}

	@Test
	void pathMatchesForAllOnlyInBothForms() {
		assertThat(paths("/orders;x=1", "/orders").matchForAll(pattern("/orders"))).isTrue();
		assertThat(paths("/x/../orders", "/orders").matchForAll(pattern("/orders"))).isFalse();
		assertThat(paths("/orders", "/other").matchForAll(pattern("/orders"))).isFalse();
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
