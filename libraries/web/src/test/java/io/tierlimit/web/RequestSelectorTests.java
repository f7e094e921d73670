package io.tierlimit.web;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.AppliesTo;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.TestRules;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.server.PathContainer;
import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which requests a rule selects. A request has the URI that the client sent, and
 * the path that the container derives from it.
 */
class RequestSelectorTests {

	@Test
	void ruleWithoutPathsSelectsEveryPathAndNamesNoEndpoint() {
		MatchedRule match = select(selector(List.of(), List.of()), "/any", "/any");
		assertThat(match).isNotNull();
		assertThat(Objects.requireNonNull(match).endpoint()).isNull();
	}

	@Test
	void firstPatternThatMatchesIsTheEndpoint() {
		RequestSelector selector = selector(List.of("/other", "/orders/{id}", "/orders/*"), List.of());
		assertThat(endpoint(selector, "/orders/1", "/orders/1")).isEqualTo("/orders/{id}");
		assertThat(endpoint(selector, "/elsewhere", "/elsewhere")).isNull();
	}

	@Test
	void patternThatMatchesTheServedPathComesBeforeOneThatMatchesTheSentPath() {
		RequestSelector selector = selector(List.of("/sent", "/served"), List.of());
		assertThat(endpoint(selector, "/sent", "/served")).isEqualTo("/served");
		assertThat(endpoint(selector, "/sent", "/neither")).isEqualTo("/sent");
	}

	@ParameterizedTest
	@CsvSource({ "/orders, /orders", "/orders/, /orders/", "//orders, //orders", "/orders;x=1, /orders",
			"/%6Frders, /orders", "/x/../orders, /orders", "/orders%5C, '/orders\\'" })
	void otherSpellingsOfAPathAreSelected(String sent, String served) {
		assertThat(endpoint(selector(List.of("/orders"), List.of()), sent, served)).isEqualTo("/orders");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void pathThatIsComparedAsTextMatchesLikeItsPattern(boolean ignoringCase) {
		List<String> patterns = List.of("/", "/**", "/a", "/A", "/a/**", "/a/b", "/a/b/**", "/a//**", "/a/", "a",
				"/{x}/**", "/a;x", "/a%41", "/a?/**", "/*/b");
		for (String pattern : patterns) {
			RequestSelector selector = selector(TestRules.onPath(pattern), ignoringCase);
			for (String path : List.of("/", "/a", "/A", "/ab", "/a/b", "/a/B/c", "/b", "/b/a", "/aA", "/a/c")) {
				boolean matches = PathPatterns.parse(pattern, ignoringCase).matches(PathContainer.parsePath(path));
				assertThat(endpoint(selector, path, path) != null).as("%s of %s", path, pattern).isEqualTo(matches);
			}
		}
	}

	@Test
	void excludedPathIsNotSelected() {
		RequestSelector selector = selector(List.of("/orders/**"), List.of("/orders/public/**"));
		assertThat(endpoint(selector, "/orders/1", "/orders/1")).isNotNull();
		assertThat(endpoint(selector, "/orders/public/1", "/orders/public/1")).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "/public/..;/orders, /orders", "/x/../public/a, /public/a" })
	void pathThatIsExcludedInOneFormOnlyIsSelected(String sent, String served) {
		assertThat(select(selector(List.of(), List.of("/public/**")), sent, served)).isNotNull();
	}

	@ParameterizedTest
	@CsvSource({ "GET, GET, true", "GET, HEAD, true", "GET, POST, false", "POST, HEAD, false", "HEAD, GET, false",
			"GET, get, false" })
	void methodMustBeListedExceptForHeadByGet(String listed, String sent, boolean selected) {
		RequestSelector selector = selector(new Selection(AppliesTo.REQUESTS, List.of(), List.of(), Set.of(listed)),
				false);
		MatchedRule match = selector.select(sent, paths("/orders", "/orders"), null);
		assertThat(match != null).isEqualTo(selected);
	}

	@Test
	void caseMattersUnlessTheApplicationIgnoresIt() {
		Selection orders = TestRules.onPath("/orders");
		assertThat(endpoint(selector(orders, false), "/ORDERS", "/ORDERS")).isNull();
		assertThat(endpoint(selector(orders, true), "/ORDERS", "/ORDERS")).isEqualTo("/orders");
	}

	@Test
	void caseAlwaysMattersToExcludedPaths() {
		Selection selection = new Selection(AppliesTo.REQUESTS, List.of(), List.of("/public"), Set.of());
		assertThat(select(selector(selection, true), "/PUBLIC", "/PUBLIC")).isNotNull();
	}

	@Test
	void ruleWithoutPathsNamesEveryHandler() {
		assertThat(selector(List.of(), List.of()).names("GET", paths("/a/", "/a/"), "/**")).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "/login, /login, , true", "/login, /login, /login, true", "/login, /login, /**, false",
			"/login/, /login/, , false", "/login/, /login/, /login, false", "/x/../login, /login, /login, false" })
	void pathsNameAHandlerOnlyIfEveryFormMatches(String sent, String served, @Nullable String mapping, boolean named) {
		RequestSelector selector = selector(List.of("/other", "/login"), List.of());
		assertThat(selector.names("GET", paths(sent, served), mapping)).isEqualTo(named);
	}

	private static @Nullable String endpoint(RequestSelector selector, String sent, String served) {
		MatchedRule match = select(selector, sent, served);
		return (match != null) ? match.endpoint() : null;
	}

	private static @Nullable MatchedRule select(RequestSelector selector, String sent, String served) {
		return selector.select("GET", paths(sent, served), null);
	}

	private static RequestPaths paths(String sent, String served) {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", sent);
		request.setServletPath(served);
		return RequestPaths.of(request);
	}

	private static RequestSelector selector(List<String> paths, List<String> excludePaths) {
		return selector(new Selection(AppliesTo.REQUESTS, paths, excludePaths, Set.of()), false);
	}

	private static RequestSelector selector(Selection selection, boolean ignoringCase) {
		CompiledRule rule = TestEvaluators.of(TestRules.rule("any", 10).selection(selection)).rule("any");
		return new RequestSelector(Objects.requireNonNull(rule), ignoringCase);
	}

}
