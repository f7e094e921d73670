package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.autoconfigure.EnvironmentVariables;
import io.tierlimit.autoconfigure.ReportedProblems;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Single values in place of a set of properties, with and without such properties.
 */
@ExtendWith(OutputCaptureExtension.class)
class SingleValueTests {

	private static final String RULE = "tierlimit.rules.per-ip.rate=1/s";

	private static final String PLAN = "tierlimit.rules.per-ip.plans.pro-x.rate=2/s";

	private final ApplicationContextRunner runner = RuleReading.RUNNER;

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			textBlock = """
					tierlimit.rules.per-ip.plans.pro-x=unlimited; tierlimit.rules.per-ip.plans.pro-x must be a set of properties (rate, burst, limit, unlimited), not a single value. Set one or more of them instead of tierlimit.rules.per-ip.plans.pro-x (test).
					tierlimit.rules.per-ip.window=7h; tierlimit.rules.per-ip.window must be a set of properties (start), not a single value. Set one or more of them instead of tierlimit.rules.per-ip.window (test).
					tierlimit.rules=none; tierlimit.rules must be a map, such as '<id>: { rate: 10/s }', not a single value. Correct or remove tierlimit.rules (test).
					tierlimit.rules.per-ip.plans=pro; tierlimit.rules.per-ip.plans must be a map, such as '<id>: { rate: 10/s }', not a single value. Correct or remove tierlimit.rules.per-ip.plans (test).
					tierlimit.headers=x; tierlimit.headers must be a set of properties (styles, expose, retry-after-jitter), not a single value. Set one or more of them instead of tierlimit.headers (test).
					tierlimit.plan=x; tierlimit.plan must be a set of properties (authority-prefix, default, jdbc, key), not a single value. Set one or more of them instead of tierlimit.plan (test).
					tierlimit.memory=x; tierlimit.memory must be a set of properties (max-buckets), not a single value. Set one or more of them instead of tierlimit.memory (test).
					tierlimit.redis=x; tierlimit.redis must be a set of properties (key-prefix, timeout, on-store-failure, local-share, connection-factory), not a single value. Set one or more of them instead of tierlimit.redis (test).
					tierlimit.rejections=x; tierlimit.rejections must be a set of properties (log, interval), not a single value. Set one or more of them instead of tierlimit.rejections (test).
					tierlimit.web=x; tierlimit.web must be a set of properties (order, authenticated-order, max-waiting, limits-path), not a single value. Set one or more of them instead of tierlimit.web (test).
					tierlimit.client-ip=10.0.0.0/8; tierlimit.client-ip must be a set of properties (trusted-proxies, header, ipv6-prefix), not a single value. Set one or more of them instead of tierlimit.client-ip (test).
					tierlimit.keys=0123456789abcdef; tierlimit.keys must be a set of properties (hash, secret), not a single value. Set one or more of them instead of tierlimit.keys (test).
					tierlimit.user=claim('sub'); tierlimit.user must be a set of properties (key), not a single value. Set one or more of them instead of tierlimit.user (test).
					tierlimit.user=admin; tierlimit.user must be a set of properties (key), not a single value. Set one or more of them instead of tierlimit.user (test).
					""")
	void valueInPlaceOfPropertiesIsReportedOnce(String property, String problem) {
		assertThat(problems(Map.of(), property, RULE, PLAN, "tierlimit.client-ip.ipv6-prefix=48",
				"tierlimit.keys.hash=none"))
			.containsExactly(problem);
		String other = property.contains("plans") ? RULE : "tierlimit.rules.b.rate=1/s";
		assertThat(problems(Map.of(), property, other)).containsExactly(problem);
		if (property.startsWith("tierlimit.rules=")) {
			assertThat(problems(Map.of(), property)).containsExactly(problem);
			assertThat(problems(Map.of("TIERLIMIT_RULES", "none"))).singleElement()
				.asString()
				.startsWith("tierlimit.rules must be a map, such as ")
				.endsWith("Correct or remove tierlimit.rules (environment variable TIERLIMIT_RULES).");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "1/d", "off" })
	void valueInPlaceOfARuleIsReportedOnce(String value) {
		for (String other : List.of("tierlimit.rules.per-ip.rate=1/s", "tierlimit.rules.b.rate=1/s")) {
			assertThat(problems(Map.of(), "tierlimit.rules.per-ip=" + value, other)).singleElement()
				.asString()
				.startsWith("tierlimit.rules.per-ip must be a set of properties (enabled, applies-to, scope, ")
				.endsWith("), not a single value. Set one or more of them instead of tierlimit.rules.per-ip (test).");
		}
	}

	@ParameterizedTest
	@CsvSource({ "TIERLIMIT_RULES_PERIP, tierlimit.rules.perip",
			"TIERLIMIT_RULES_PERIP_PLANS_PROX, tierlimit.rules.perip.plans.prox", "TIERLIMIT_RULES, tierlimit.rules",
			"TIERLIMIT_CLIENTIP, tierlimit.clientip", "TIERLIMIT_USER, tierlimit.user" })
	void variableInPlaceOfPropertiesIsNamed(String variable, String property) {
		List<String> others = List.of(RULE, PLAN, "tierlimit.client-ip.ipv6-prefix=48", "tierlimit.user.key=user");
		for (int own : new int[] { 2, 4 }) {
			assertThat(problems(Map.of(variable, "1/d"), others.subList(0, own).toArray(String[]::new))).singleElement()
				.asString()
				.startsWith(property + " must be a ")
				.contains(", not a single value. ")
				.endsWith(property + " (environment variable " + variable + ").");
		}
	}

	@Test
	void valueOfTheRootFailsStartupUnlessAVariableSetsIt(CapturedOutput output) {
		for (String other : List.of(RULE, "other=1")) {
			assertThat(problems(Map.of(), "tierlimit=none", other)).singleElement()
				.asString()
				.startsWith("tierlimit must be a set of properties (enabled, mode, rules,")
				.endsWith("not a single value. Set one or more of them instead of tierlimit (test).");
		}
		withVariables(Map.of("TIERLIMIT", "1.0"), RULE).run((context) -> assertThat(context).hasNotFailed());
		withVariables(Map.of("TIERLIMIT", "1.0")).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("tierlimit must be a set of properties (enabled, mode, rules,",
				"(environment variable TIERLIMIT).");
	}

	@ParameterizedTest
	@ValueSource(strings = { "TIERLIMIT_RULES", "TIERLIMIT_RULES_PERIP", "TIERLIMIT_RULES_PERIP_PLANS",
			"TIERLIMIT_RULES_PERIP_PLANS_PROX", "TIERLIMIT_CLIENTIP", "TIERLIMIT_USER", "TIERLIMIT_WEB", "TIERLIMIT",
			"TIERLIMIT_REDIS" })
	void blankValueIsIgnored(String variable) {
		for (String blank : List.of("", " ", "${no.such:}")) {
			for (String own : List.of("tierlimit.client-ip.ipv6-prefix=48", "other=1")) {
				withVariables(Map.of(variable, blank), RULE, PLAN, own, "tierlimit.web.max-waiting=7")
					.run((context) -> {
						assertThat(context).hasNotFailed();
						assertThat(context.getBean(ConfiguredRules.class).rules().rules()).singleElement()
							.satisfies((rule) -> assertThat(rule.limits().plans()).containsOnlyKeys("pro-x"));
						assertThat(context.getBean(TierlimitProperties.class).web().maxWaiting()).isEqualTo(7);
					});
			}
		}
	}

	@Test
	void blankValueWithoutPropertiesIsAnEmptyRule() {
		for (String blank : List.of("", " ")) {
			assertThat(problems(Map.of("TIERLIMIT_RULES_B", blank))).singleElement()
				.asString()
				.startsWith(
						"Rule 'b' (environment variable TIERLIMIT_RULES_B) has no rate. Set tierlimit.rules.b.rate to ");
			assertThat(problems(Map.of(), "tierlimit.rules.b=" + blank)).singleElement()
				.asString()
				.startsWith("Rule 'b' (test) has no rate. Set tierlimit.rules.b.rate to permits per period");
			this.runner.withPropertyValues("tierlimit.rules=" + blank, "tierlimit.user=" + blank)
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void blankValueRemovesNoProperty() {
		withVariables(Map.of("TIERLIMIT_USER", ""), RULE, "tierlimit.user.key=claim('sub')")
			.run((context) -> assertThat(context.getBean(TierlimitProperties.class).user().key())
				.isEqualTo("claim('sub')"));
	}

	@Test
	void serviceLinkWithTheIdOfARuleIsIgnored() {
		withVariables(Map.of("TIERLIMIT_RULES_PORT", "tcp://10.0.0.1:80"), "tierlimit.rules.port.rate=1/s")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules()).hasSize(1));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"',
			textBlock = """
					tierlimit.rules[0].rate; tierlimit.rules must be a map, such as '<id>: { rate: 10/s }', not a list; tierlimit.rules[0].rate (test)
					tierlimit.overrides[0].user; tierlimit.overrides must be a map, such as '<id>: { rate: 10/s }', not a list; tierlimit.overrides[0].user (test)
					tierlimit.rules.per-ip[0]; tierlimit.rules.per-ip must be a set of properties (enabled,; not a list. Correct or remove tierlimit.rules.per-ip[0] (test).
					tierlimit.web[0]; tierlimit.web must be a set of properties (order,; not a list. Correct or remove tierlimit.web[0] (test).
					tierlimit.rules.per-ip.plans[0].rate; tierlimit.rules.per-ip.plans must be a map, such as '<id>: { rate: 10/s }', not a list; Correct or remove tierlimit.rules.per-ip.plans[0].rate (test).
					tierlimit.rules.per-ip.rate[0]; tierlimit.rules.per-ip.rate must be a single value, not a list; Correct or remove tierlimit.rules.per-ip.rate[0] (test).
					tierlimit.client-ip.trusted-proxies[0][1]; tierlimit.client-ip.trusted-proxies[0] must be a single value, not a list; Correct or remove tierlimit.client-ip.trusted-proxies[0][1] (test).
					tierlimit.client-ip.trusted-proxies[0].net; tierlimit.client-ip.trusted-proxies[0] has no property 'net', because it is a single value.; Correct or remove tierlimit.client-ip.trusted-proxies[0].net (test).
					tierlimit.client-ip.trusted-proxies[1]; tierlimit.client-ip.trusted-proxies must be a list whose entries are numbered from 0 without a gap; Correct tierlimit.client-ip.trusted-proxies
					""")
	void listInPlaceOfAnythingElseIsReported(String property, String problem, String fix) {
		assertThat(problems(Map.of(), property + "=1/s", "tierlimit.rules.b.rate=1/s"))
			.anySatisfy((text) -> assertThat(text).startsWith(problem).contains(fix));
	}

	@Test
	void everyListIsReportedOnce() {
		assertThat(problems(Map.of(), "tierlimit.rules[0].id=a", "tierlimit.rules[0].rate=1/s",
				"tierlimit.rules[1].id=b", "tierlimit.web[0]=1"))
			.hasSize(2);
	}

	private ApplicationContextRunner withVariables(Map<String, String> variables, String... properties) {
		return this.runner.withPropertyValues(properties).withInitializer(EnvironmentVariables.of(variables));
	}

	private List<String> problems(Map<String, String> variables, String... properties) {
		return ReportedProblems.of(withVariables(variables, properties));
	}

}
