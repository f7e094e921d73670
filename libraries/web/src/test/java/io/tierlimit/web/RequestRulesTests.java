package io.tierlimit.web;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.tierlimit.AppliesTo;
import io.tierlimit.evaluation.MatchedRule;
import io.tierlimit.evaluation.MatchedRule.Handling;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.OutcomeCondition;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Endpoint;
import io.tierlimit.web.RateLimitExchange.Progress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.cors.PreFlightRequestHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which rules of a stage match a request, and when its handler is looked up.
 */
class RequestRulesTests {

	private static final String MANAGEMENT = "/actuator";

	private static final String LIMITS = "/limits";

	private static final PreFlightRequestHandler PREFLIGHTS = (request, response) -> {
	};

	private final AtomicInteger lookups = new AtomicInteger();

	private @Nullable Handler handler;

	@Test
	void rulesMatchInTheGivenOrder() {
		Rule[] rules = { onPath("orders", "/orders"), onPath("other", "/other"), TestRules.rule("all", 10),
				onPath("every-order", "/orders/**") };
		assertThat(ids(match(request("/orders"), rules))).containsExactly("orders", "all", "every-order");
		assertThat(ids(match(request("/nowhere"), rules))).containsExactly("all");
	}

	@Test
	void ruleForMethodsMatchesNoRequest() {
		assertThat(match(request("/orders"), TestRules.rule("calls", 10).selection(TestRules.CODE))).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "BEFORE_AUTHENTICATION, address", "AFTER_AUTHENTICATION, user", "ALL, 'address,user'" })
	void stageMatchesOnlyItsOwnRules(Stage stage, String ids) {
		List<MatchedRule> matched = match(stage, request("/orders"),
				TestRules.rule("address", 10).scope(Scope.of(Scope.IP)),
				TestRules.rule("user", 10).scope(Scope.of(Scope.USER)));
		assertThat(ids(matched)).containsExactly(ids.split(","));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/shop/orders", "/shop/orders;v=1" })
	void pathsAreRelativeToTheContextPath(String sent) {
		MockHttpServletRequest request = request("/orders");
		request.setContextPath("/shop");
		request.setRequestURI(sent);
		assertThat(ids(match(request, onPath("relative", "/orders"), onPath("absolute", "/shop/orders"))))
			.containsExactly("relative");
	}

	@Test
	void managementEndpointMatchesOnlyRulesThatNameIt() {
		this.handler = management();
		Rule[] rules = { TestRules.rule("all", 10), onPath("every-path", "/**"),
				onPath("management", MANAGEMENT + "/**"), onPath("without-first-slash", "actuator/health"),
				TestRules.rule("several", 10)
					.selection(new Selection(AppliesTo.REQUESTS, List.of("/**", MANAGEMENT + "/**"), List.of(),
							Set.of())) };
		List<MatchedRule> matched = match(request(MANAGEMENT + "/health"), rules);
		assertThat(ids(matched)).containsExactly("management", "without-first-slash", "several");
		assertThat(matched.get(2).endpoint()).isEqualTo(MANAGEMENT + "/**");
		MockHttpServletRequest below = request(MANAGEMENT + "/health");
		below.setContextPath("/shop");
		below.setRequestURI("/shop" + MANAGEMENT + "/health");
		assertThat(ids(match(below, rules))).as("below the context path")
			.containsExactly("management", "without-first-slash", "several");
	}

	@ParameterizedTest
	@CsvSource({ "/limits", "/%6cimits", "/limits;v=1" })
	void requestForTheLimitsPathMatchesOnlyRulesThatNameIt(String sent) {
		Rule[] rules = { TestRules.rule("all", 10), onPath("every-path", "/**"), onPath("limits", LIMITS) };
		MockHttpServletRequest request = request(LIMITS);
		request.setRequestURI(sent);
		assertThat(ids(match(request, rules))).containsExactly("limits");
		assertThat(ids(match(request(LIMITS + "/other"), rules))).containsExactly("all", "every-path");
	}

	@Test
	void handlerOfTheApplicationBelowTheManagementPathMatchesEveryRule() {
		this.handler = handler(new Endpoint("GET", MANAGEMENT + "/own"));
		assertThat(ids(match(request(MANAGEMENT + "/own"), TestRules.rule("all", 10), onPath("every-path", "/**"))))
			.containsExactly("all", "every-path");
	}

	@ParameterizedTest
	@CsvSource({ "/orders, /orders", "/actuators, /actuators", "/orders/..;/actuator, /actuator",
			"/actuator/../orders, /orders" })
	void pathOutsideTheManagementPathInOneFormNeedsNoHandler(String sent, String served) {
		this.handler = management();
		MockHttpServletRequest request = request(served);
		request.setRequestURI(sent);
		assertThat(ids(match(request, TestRules.rule("all", 10)))).containsExactly("all");
		assertThat(this.lookups).hasValue(0);
	}

	@Test
	void requestThatMayBeAPreflightIsMarked() {
		this.handler = new Handler(null, null, null, PREFLIGHTS, false, null);
		assertThat(match(preflight(), TestRules.rule("all", 10))).singleElement().matches(RequestRulesTests::isMarked);
	}

	@Test
	void requestOtherThanAPreflightIsNotMarked() {
		Rule all = TestRules.rule("all", 10);
		this.handler = handler(new Endpoint("OPTIONS", "/orders"));
		assertThat(match(preflight(), all)).as("served by a handler").noneMatch(RequestRulesTests::isMarked);
		this.handler = new Handler(null, null, null, PREFLIGHTS, false, null);
		MockHttpServletRequest credentials = preflight();
		credentials.addHeader("Authorization", "Bearer any");
		assertThat(match(credentials, all)).as("with credentials").noneMatch(RequestRulesTests::isMarked);
		assertThat(match(request("/orders"), all)).as("GET").noneMatch(RequestRulesTests::isMarked);
	}

	@Test
	void statusOfAnotherHandlerDoesNotReset() {
		Rule login = resetByStatus("/login");
		assertThat(match(request("/login"), login)).as("no mapping").allMatch(RequestRulesTests::isNamed);
		this.handler = handler(new Endpoint("POST", "/login"));
		assertThat(match(request("/login"), login)).as("the same mapping").allMatch(RequestRulesTests::isNamed);
		this.handler = handler(new Endpoint("POST", "/**"));
		assertThat(match(request("/login"), login)).as("another mapping")
			.singleElement()
			.matches((match) -> match.handling() == Handling.UNNAMED);
	}

	@Test
	void mappingOfAServletIsBelowItsPath() {
		MockHttpServletRequest request = request("/api/login");
		request.setServletPath("/api");
		request.setPathInfo("/login");
		this.handler = handler(new Endpoint("POST", "/login"));
		assertThat(match(request, resetByStatus("/api/login"))).singleElement().matches(RequestRulesTests::isNamed);
	}

	@Test
	void handlerIsLookedUpOnlyForRulesThatDependOnIt() {
		match(request("/orders"), onPath("orders", "/orders"));
		assertThat(this.lookups).hasValue(0);
		match(request("/orders"), resetByStatus("/other"));
		assertThat(this.lookups).as("the rule does not match").hasValue(0);
		match(request("/login"), resetByStatus("/login"));
		assertThat(this.lookups).hasValue(1);
	}

	@ParameterizedTest
	@CsvSource({ "false, 0", "true, 1" })
	void caseIsIgnoredIfTheApplicationIgnoresItAtTheFirstRequest(boolean ignored, int matches) {
		AtomicInteger calls = new AtomicInteger();
		TestEvaluator evaluator = TestEvaluators.of(onPath("orders", "/orders"));
		RequestRules rules = rules(evaluator, () -> calls.incrementAndGet() > 0 && ignored);
		assertThat(calls).hasValue(0);
		assertThat(match(rules, Stage.ALL, evaluator, request("/ORDERS"))).hasSize(matches);
		assertThat(match(rules, Stage.ALL, evaluator, request("/ORDERS"))).hasSize(matches);
		assertThat(calls).hasValue(1);
	}

	private List<MatchedRule> match(MockHttpServletRequest request, Rule... rules) {
		return match(Stage.ALL, request, rules);
	}

	private List<MatchedRule> match(Stage stage, MockHttpServletRequest request, Rule... rules) {
		TestEvaluator evaluator = TestEvaluators.of(rules);
		return match(rules(evaluator, () -> false), stage, evaluator, request);
	}

	private List<MatchedRule> match(RequestRules rules, Stage stage, TestEvaluator evaluator,
			MockHttpServletRequest request) {
		HttpCallerFactory callers = TestLimiters.callers((any, arrived) -> {
			this.lookups.incrementAndGet();
			return this.handler;
		});
		RateLimitExchange exchange = new RateLimitExchange(evaluator.evaluator(), callers, rules, () -> 0, request,
				null, Progress.FILTERED);
		return exchange.match(stage, request);
	}

	private static RequestRules rules(TestEvaluator evaluator, BooleanSupplier ignoresCase) {
		return new RequestRulesLookup(evaluator.activeRules(),
				new RequestRules.Options(MANAGEMENT, LIMITS, ignoresCase))
			.current();
	}

	private static MockHttpServletRequest request(String path) {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
		request.setServletPath(path);
		return request;
	}

	private static MockHttpServletRequest preflight() {
		MockHttpServletRequest request = request("/orders");
		request.setMethod("OPTIONS");
		request.addHeader("Origin", "https://shop.example");
		request.addHeader("Access-Control-Request-Method", "GET");
		return request;
	}

	private static boolean isNamed(MatchedRule match) {
		return match.handling() == Handling.NAMED;
	}

	private static boolean isMarked(MatchedRule match) {
		return match.handling() == Handling.PREFLIGHT;
	}

	private static Handler management() {
		return new Handler(null, null, null, new Object(), true, null);
	}

	private static Handler handler(Endpoint endpoint) {
		return new Handler(endpoint, null, null, new Object(), false, null);
	}

	private static Rule onPath(String id, String path) {
		return TestRules.rule(id, 10).selection(TestRules.onPath(path));
	}

	private static Rule resetByStatus(String path) {
		return TestRules.rule("reset", 10)
			.selection(TestRules.onPath(path))
			.options((options) -> options.with(new ChargePolicy(List.of(), List.of(OutcomeCondition.parse("200")))));
	}

	private static List<String> ids(List<MatchedRule> matched) {
		return matched.stream().map((match) -> match.rule().rule().id()).toList();
	}

}
