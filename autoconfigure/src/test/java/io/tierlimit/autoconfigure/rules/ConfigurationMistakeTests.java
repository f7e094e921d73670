package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.tierlimit.autoconfigure.EnvironmentVariables;
import io.tierlimit.autoconfigure.ReportedProblems;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitSecurityAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitServletAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitSwitchAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitWebMvcAutoConfiguration;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.web.PathPatterns;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.http.server.PathContainer;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Configurations that can be read, but do not do what their authors intended.
 */
@ExtendWith(OutputCaptureExtension.class)
class ConfigurationMistakeTests {

	private static final AutoConfigurations ALL = AutoConfigurations.of(TierlimitSwitchAutoConfiguration.class,
			TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class,
			TierlimitSecurityAutoConfiguration.class, TierlimitServletAutoConfiguration.class,
			TierlimitWebMvcAutoConfiguration.class);

	private final WebApplicationContextRunner web = new WebApplicationContextRunner().withConfiguration(ALL);

	private static final String PATHS_IN_ANOTHER_SYNTAX = """
			/search?q=*           ; contains a query
			/search?q=cup&page=2  ; contains a query
			^/api/.*$             ; is a regular expression
			/^api                 ; is a regular expression
			/api/.*               ; is a regular expression
			/api/.+               ; is a regular expression
			/api/users$           ; is a regular expression
			/api/(users|orders)   ; is a regular expression
			/api/(.*)             ; is a regular expression
			/api/[^/]+            ; is a regular expression
			/api/users/[0-9]+     ; is a regular expression
			/api/\\d+             ; is a regular expression
			https://shop.test/api ; is a URL
			/http://shop.test/api ; is a URL
			/**/.+                ; is a regular expression
			/users/:id/orders     ; has a variable in the syntax of another tool, which would be compared literally: write a variable such as {id}.
			/users/:id?           ; write a variable such as {id}.
			:id                   ; write a variable such as {id}.
			/users/<id>           ; write a variable such as {id}.
			/{a}/<int:id>/:b      ; write a variable such as {id}.
			/posts/[slug]         ; write a variable such as {id}.
			/posts/[...slug]      ; write a variable such as {id}.
			/v[12]/x              ; is a regular expression
			/[!a]/x               ; is a regular expression
			/users/{id:int}       ; has a type, or a blank, as the expression of a variable, which would be compared literally: write an expression such as {id:[0-9]+}.
			/users/{id: [0-9]+}   ; such as {id:[0-9]+}.
			/orders#frag          ; contains a fragment, which clients do not send: write the path before it.
			/#/orders/{id}        ; contains a fragment, which clients do not send: write the path before it.
			/orders;page=1/{id}   ; contains a path parameter, but parameters are not compared: write the path without it.
			/caf%C3%A9            ; is percent-encoded, but paths are compared decoded: write the decoded path.
			GET /api/orders       ; begins with an HTTP method: write the path only, and the method in methods
			""";

	@ParameterizedTest
	@CsvSource({ "paths, path", "exclude-paths, excluded path" })
	void pathInAnotherSyntaxFailsStartup(String property, String name) {
		RuleReading.assertProblems(PATHS_IN_ANOTHER_SYNTAX.replaceAll("(?m)^(.+?)\\s+; (.*)$",
				property + "[0]=$1 | " + name + " '$1' | $2"), "rate=1/s");
	}

	@Test
	void pathPatternsAreAccepted(CapturedOutput output) {
		List<String> rules = new ArrayList<>();
		for (String path : new String[] { "/**/.*", "/*/.*", "/**/.*/config", "/v{x:[12]}/x", "/{x::id}", "/{x:<id>}",
				"/{x:[0-9]{2}}", "/books:borrow", "/books/{id}:cancel", "/a/{kind:integer|string}", "/{*all}",
				"/file.*", "/*.{ext:[a-z#;]+}", "/100%", "/@me/$id" }) {
			for (String property : new String[] { "paths", "exclude-paths" }) {
				String rule = "tierlimit.rules.r" + rules.size() + ".";
				rules.addAll(List.of(rule + "rate=1/s", rule + property + "[0]=" + path));
			}
		}
		this.web.withPropertyValues(rules.toArray(String[]::new)).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("WARN");
	}

	/**
	 * A pattern that is rejected matches no request, but the recommended pattern does.
	 */
	@ParameterizedTest
	@CsvSource({ "/v[12]/x, /v{x:[12]}/x, /v2/x", "/users/:id, /users/{id}, /users/1",
			"/users/<id>, /users/{id}, /users/1", "/orders#frag, /orders, /orders",
			"/orders;page=1, /orders, /orders;page=1", "/caf%C3%A9, /café, /caf%C3%A9",
			"/{id: [0-9]+}, /{id:[0-9]+}, /12", "/{id:int}, /{id:[0-9]+}, /12", "/**/.+, /**/.*, /api/.env",
			"'/orders ', /orders, /orders", "/[!a]/x, /{x:[^a]}/x, /b/x" })
	void adviceOnPathsIsRight(String mistake, String advice, String path) {
		PathContainer request = PathContainer.parsePath(path);
		assertThat(InvalidPaths.find(mistake)).isNotNull();
		assertThat(InvalidPaths.find(advice)).isNull();
		assertThat(PathPatterns.parse(advice).matches(request)).isTrue();
		assertThat(PathPatterns.parse(mistake).matches(request)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "PSOT", "delte", "PURGE" })
	void methodThatHttpDoesNotDefineIsAWarning(String method, CapturedOutput output) {
		this.web.withPropertyValues("tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.methods=GET," + method)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("Rule 'a': HTTP does not define the method '" + method
				+ "'. Correct tierlimit.rules.a.methods (test), unless the application responds to this method.");
	}

	@Test
	void twoSpellingsOfAnIdInOneSourcePreventStartup() {
		assertThat(problems("tierlimit.rules.per-ip.rate=1/s", "tierlimit.rules.perIp.rate=2/s",
				"tierlimit.rules.per_ip.burst=2", "tierlimit.rules.a.rate=1/s",
				"tierlimit.rules.a.plans.pro-x.rate=1/s", "tierlimit.rules.a.plans.proX.rate=2/s"))
			.anySatisfy((problem) -> assertThat(problem).contains("One source sets tierlimit.rules.", "rate twice",
					"the names differ only in dashes, underscores and case", " in tierlimit.rules.per", "(test)"))
			.anySatisfy((problem) -> assertThat(problem).contains("One source sets tierlimit.rules.a.plans.pro",
					"rate twice", " in tierlimit.rules.a.plans.pro", "(test)"));
	}

	@Test
	void anotherSourceMaySpellAnIdDifferently() {
		this.web.withPropertyValues("tierlimit.rules.per-ip.rate=1/s", "tierlimit.rules.per-ip.scope=ip")
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("other", Map.of("tierlimit.rules.perIp.rate", "2/s"))))
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules()).singleElement()
				.satisfies((rule) -> assertThat(rule.limits().standard().rate()).hasToString("2/s")));
	}

	@Test
	void defaultPlanThatNoRuleListsIsAWarning(CapturedOutput output) {
		this.web
			.withPropertyValues("tierlimit.plan.default=gold", "tierlimit.rules.a.rate=5000000000/s",
					"tierlimit.rules.a.plans.pro.rate=5000000000/s", "tierlimit.rules.a.cost=4000000000")
			.run((context) -> assertThat(output).containsOnlyOnce(
					"tierlimit.plan.default 'gold' has no effect: no rule lists that plan. The plans are [pro]. "
							+ "Correct or remove tierlimit.plan.default (test)."));
	}

	@ParameterizedTest
	@ValueSource(strings = { "plans.gold.rate=2/s", "scope=plan", "condition=plan != 'gold'", "key=plan" })
	void defaultPlanWithAnEffectIsNotAWarning(String property, CapturedOutput output) {
		WebApplicationContextRunner gold = this.web.withPropertyValues("tierlimit.plan.default=gold",
				"tierlimit.rules.a.rate=1/s");
		for (WebApplicationContextRunner runner : List.of(gold.withPropertyValues("tierlimit.rules.a." + property),
				gold.withBean(PlanResolver.class, () -> (principal) -> "gold"),
				gold.withBean(KeyResolver.class, () -> (caller) -> caller.plan()))) {
			runner.run((context) -> assertThat(context).hasNotFailed());
		}
		assertThat(output).doesNotContain("tierlimit.plan.default");
	}

	/** Spring Boot would read a number as milliseconds. */
	@ParameterizedTest
	@ValueSource(strings = { "audit.jdbc.retention", "jdbc.refresh", "redis.timeout", "rejections.interval" })
	void timeWithoutAUnitFailsStartup(String property) {
		assertReported(problemsOf(Map.of(), "tierlimit.rules.a.rate=1/s", "tierlimit." + property + "=10"),
				"tierlimit." + property + " must be a time such as 500ms, 10s or 5m (was '10'). Correct tierlimit."
						+ property + " (test).");
	}

	@Test
	void emptyTextsAreTheDefault() {
		withVariables(Map.of("TIERLIMIT_PLAN_DEFAULT", "", "TIERLIMIT_USER_KEY", "",
				"TIERLIMIT_REDIS_CONNECTIONFACTORY", " "), "tierlimit.rules.a.rate=1/s")
			.run((context) -> {
				TierlimitProperties properties = context.getBean(TierlimitProperties.class);
				assertThat(properties.plan().defaultPlan()).isNull();
				assertThat(properties.user().key()).isNull();
				assertThat(properties.redis().connectionFactory()).isNull();
			});
	}

	@Test
	void serviceLinksOfKubernetesAreIgnored(CapturedOutput output) {
		withVariables(Map.of("TIERLIMIT_SERVICE_HOST", "10.0.0.1", "TIERLIMIT_PORT", "tcp://10.0.0.1:80",
				"TIERLIMIT_PORT_80_TCP_ADDR", "10.0.0.1", "TIERLIMIT_REDIS_SERVICE_PORT", "6379",
				"TIERLIMIT_REDIS_PORT", "tcp://10.0.0.2:6379", "TIERLIMIT_RULES_PORT", "tcp://10.0.0.3:80",
				"TIERLIMIT_RULES_SERVICE_HOST", "10.0.0.3"), "tierlimit.rules.a.rate=1/s")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules()).hasSize(1));
		assertThat(output).doesNotContain("WARN");
	}

	@ParameterizedTest
	@ValueSource(strings = { "TIERLIMIT_RULES_PER_USER_RATE", "TIERLIMIT_RULES_PERIP_RAET",
			"TIERLIMIT_RULES_PER_IP_EXCLUDE_PATHS_11", "TIERLIMIT_RULES_PER_IP_MAXWAIT",
			"TIERLIMIT_RULES_PER_IP_PLANS_PROY_RAET", "TIERLIMIT_CLIENTIP_TRUSTEDPROXYS_0", "TIERLIMIT_MEMORY_SIZE",
			"TIERLIMIT_MEMORY_MAX_BUCKETS_0", "TIERLIMIT_OVERRIDES_A_RAET" })
	void variableThatNothingReadsFailsStartup(String variable) {
		assertThat(problemsOf(Map.of(variable, "1/s"), "tierlimit.rules.per-ip.rate=1/s",
				"tierlimit.rules.per-ip.scope=ip", "tierlimit.rules.per-ip.plans.pro-x.rate=1/s"))
			.singleElement()
			.asString()
			.contains("' is not a known property. Known properties are ", "Correct or remove ",
					"(environment variable " + variable + ").");
	}

	@ParameterizedTest
	@CsvSource({ "TIERLIMIT_VERSION, version", "TIERLIMIT_STOR, stor", "TIERLIMIT_RULE_A_RATE, rule",
			"TIERLIMIT_CLIENT_IP_TRUSTED_PROXY_0, client" })
	void variableThatMayBelongToOtherSoftwareIsAWarning(String variable, String word, CapturedOutput output) {
		withVariables(Map.of(variable, "1.0"), "tierlimit.rules.a.rate=1/s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("tierlimit: '" + word + "' is not a known property. Known properties are ")
			.containsOnlyOnce("(environment variable " + variable + ").");
	}

	/** The cases of the table in docs/troubleshooting.md. */
	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			TIERLIMIT_VERSION=1.2                ; warns
			TIERLIMIT=1.2                        ; warns
			TIERLIMIT_STOR=redis                 ; warns
			TIERLIMIT_MEMORY_SIZE=5              ; stops
			TIERLIMIT_RULES_PER_IP_RATE=5/s      ; starts
			TIERLIMIT_RULES_PER_USER_RATE=5/s    ; stops
			TIERLIMIT_CLIENT_IP_IPV6_PREFIX=48   ; starts
			TIERLIMIT_RULES_PERIP=5/s            ; stops
			TIERLIMIT_USER=x                     ; stops
			TIERLIMIT_RULES_PERUSER_BURST=5      ; stops
			TIERLIMIT_RULES_OTHER_ENABLED=false  ; starts
			TIERLIMIT_RULES_SERCH_RATE=5/m       ; starts
			TIERLIMIT_SERVICE_HOST=10.0.0.1      ; starts
			TIERLIMIT_REDIS_PORT=tcp://10.0.0.1:80 ; starts
			TIERLIMIT_PLAN_DEFAULT=              ; starts
			TIERLIMIT_KEYS_SECRET=               ; stops
			""")
	void variableHasTheDocumentedEffect(String variable, String result, CapturedOutput output) {
		String[] parts = variable.split("=", 2);
		withVariables(Map.of(parts[0], parts[1]), "tierlimit.rules.per-ip.rate=1/s", "tierlimit.rules.per-ip.scope=ip",
				"tierlimit.rules.search.rate=1/s", "tierlimit.rules.search.paths=/search")
			.run((context) -> {
				if (result.equals("stops")) {
					assertThat(context.getStartupFailure()).rootCause().isInstanceOf(InvalidRulesException.class);
				}
				else {
					assertThat(context).hasNotFailed();
				}
			});
		assertThat(output.getAll().contains("WARN")).isEqualTo(!result.equals("starts"));
		if (result.equals("warns")) {
			assertThat(output).contains(parts[0]);
		}
	}

	@ParameterizedTest
	@CsvSource({ "TIERLIMIT_CLIENT_IP_IPV6_PREFIX, 48", "TIERLIMIT_CLIENTIP_IPV6PREFIX, 48",
			"tierlimit_client_ip_ipv6_prefix, 48", "TIERLIMIT_MEMORY_MAX_BUCKETS, 5" })
	void variableWithUnderscoresThatIsReadIsAccepted(String variable, String value, CapturedOutput output) {
		withVariables(Map.of(variable, value), "tierlimit.rules.a.rate=1/s").run((context) -> {
			assertThat(context).hasNotFailed();
			TierlimitProperties properties = context.getBean(TierlimitProperties.class);
			assertThat(List.of(properties.clientIp().ipv6Prefix(), properties.memory().maxBuckets()))
				.contains(Integer.valueOf(value));
		});
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void variablesWithUnderscoresOfAListAreAccepted(CapturedOutput output) {
		withVariables(Map.of("TIERLIMIT_CLIENT_IP_TRUSTED_PROXIES_0", "10.0.0.0/8",
				"TIERLIMIT_CLIENT_IP_TRUSTED_PROXIES_1", "192.168.0.0/16", "TIERLIMIT_HEADERS_STYLES_0", "draft-11"),
				"tierlimit.rules.a.rate=1/s")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				TierlimitProperties properties = context.getBean(TierlimitProperties.class);
				assertThat(properties.clientIp().trustedProxies()).containsExactly("10.0.0.0/8", "192.168.0.0/16");
				assertThat(properties.headers().styles()).hasSize(1);
			});
		assertThat(output).doesNotContain("WARN");
	}

	/**
	 * A gap in a list, a variable in lower case, and another variable of the property.
	 */
	@ParameterizedTest
	@CsvSource({ "TIERLIMIT_CLIENT_IP_TRUSTED_PROXIES_1, 10.0.0.0/8, tierlimit.client-ip.trusted-proxies[1]",
			"tierlimit_client_ip_trusted_proxies_1, 10.0.0.0/8, tierlimit.client-ip.trusted-proxies[1]",
			"TIERLIMIT_MEMORY_MAX_BUCKETS, 5, tierlimit.memory.max-buckets" })
	void variableWithUnderscoresThatIsNotReadFailsStartup(String variable, String value, String property) {
		assertReported(
				problemsOf(Map.of(variable, value, "TIERLIMIT_MEMORY_MAXBUCKETS", "7"), "tierlimit.rules.a.rate=1/s"),
				property + " is not set by the environment variable " + variable + ".|, or remove " + variable + ".");
	}

	@Test
	void twoSpellingsOfASettingPreventStartup() {
		assertReported(
				problemsOf(Map.of("TIERLIMIT_MEMORY_MAXBUCKETS", "5", "tierlimit_memory_maxbuckets", "6"),
						"tierlimit.rules.a.rate=1/s"),
				"One source sets tierlimit.memory.maxbuckets twice: the names differ only in dashes, underscores and case.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "TIERLIMIT_RULES_PORT_8080_RAET", "TIERLIMIT_RULES_PORT_8080_TPC",
			"tierlimit_rules_x_service_host", "TIERLIMIT_RULES_PORT_BURTS", "TIERLIMIT_RULES_X_PORT" })
	void variableThatKubernetesDoesNotSetIsReported(String variable) {
		assertThat(problemsOf(Map.of(variable, "10"), "tierlimit.rules.port-8080.rate=1/s")).singleElement()
			.asString()
			.contains("(environment variable " + variable + ").");
	}

	@ParameterizedTest
	@ValueSource(strings = { "5", "" })
	void ruleWithoutARateNamesTheVariableThatDefinesIt(String burst) {
		assertThat(problemsOf(Map.of("TIERLIMIT_RULES_PERUSER_BURST", burst), "tierlimit.rules.a.rate=1/s"))
			.containsExactly("Rule 'peruser' (environment variable TIERLIMIT_RULES_PERUSER_BURST) has no rate. Set "
					+ "tierlimit.rules.peruser.rate to permits per period, such as 10/s.");
	}

	/** JNDI is a source that cannot list its properties. */
	@Test
	void sourceThatCannotListItsPropertiesIsNotReportedAsAVariable() {
		PropertySource<Object> source = new PropertySource<>("jndi", new Object()) {

			@Override
			public @Nullable Object getProperty(String name) {
				return name.equals("tierlimit.rules.peruser.burst") ? "7" : null;
			}

		};
		withVariables(Map.of("TIERLIMIT_RULES_PERUSER_BURST", "5"), "tierlimit.rules.a.rate=1/s")
			.withInitializer((context) -> context.getEnvironment().getPropertySources().addFirst(source))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidRulesException.class)
				.hasMessageContaining("Rule 'peruser'")
				.hasMessageNotContaining("null"));
	}

	@Test
	void variableThatOverridesTheOnlyPropertyOfARuleIsAccepted(CapturedOutput output) {
		withVariables(Map.of("TIERLIMIT_RULES_DOWNLOADS_RATE", "5/m"), "tierlimit.rules.down-loads.rate=1/s")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules()).singleElement()
				.satisfies((rule) -> assertThat(rule.id()).isEqualTo("down-loads")));
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void reactiveApplicationWithRulesForRequestsStops() {
		reactive("tierlimit.rules.a.rate=1/s", "tierlimit.rules.b.rate=1/s", "tierlimit.rules.c.rate=1/s",
				"tierlimit.rules.c.applies-to=code")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidRulesException.class)
				.hasMessageContainingAll("The rules [a, b] apply to requests, but no request would be limited",
						"this is a reactive application (WebFlux)", "applies-to of these rules to code",
						"tierlimit.enabled to false"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "tierlimit.rules.a.applies-to=code", "tierlimit.rules.a.enabled=false",
			"tierlimit.enabled=false" })
	void reactiveApplicationWithoutRulesForRequestsStarts(String property) {
		reactive("tierlimit.rules.a.rate=1/s", property).run((context) -> assertThat(context).hasNotFailed());
	}

	private static ReactiveWebApplicationContextRunner reactive(String... properties) {
		return new ReactiveWebApplicationContextRunner().withConfiguration(ALL).withPropertyValues(properties);
	}

	private WebApplicationContextRunner withVariables(Map<String, String> variables, String... properties) {
		return this.web.withPropertyValues(properties).withInitializer(EnvironmentVariables.of(variables));
	}

	private List<String> problems(String... properties) {
		return problemsOf(Map.of(), properties);
	}

	private List<String> problemsOf(Map<String, String> variables, String... properties) {
		return ReportedProblems.of(withVariables(variables, properties));
	}

}
