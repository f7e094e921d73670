package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.rule.RuleSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Single values where the configuration has properties, beside such properties and
 * without them.
 */
@ExtendWith(OutputCaptureExtension.class)
class SingleValueTests {

	private static final String RULE = "tierlimit.rules.per-ip.rate=1/s";

	private static final String PLAN = "tierlimit.rules.per-ip.plans.pro-x.rate=2/s";

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class));

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			textBlock = """
					tierlimit.rules.per-ip=1/d; Rule 'per-ip' has the value '1/d', but a rule is a set of properties, as in 'per-ip: { rate: 1/d }'. Set the rate as tierlimit.rules.per-ip.rate, in place of tierlimit.rules.per-ip (test).
					tierlimit.rules.per-ip=off; Rule 'per-ip' has the value 'off', but a rule is a set of properties, as in 'per-ip: { enabled: false }'. Set enabled to false as tierlimit.rules.per-ip.enabled, in place of tierlimit.rules.per-ip (test).
					tierlimit.rules.per-ip.plans.pro-x=unlimited; Plan 'pro-x' of rule 'per-ip' has the value 'unlimited', but a plan is a set of properties, as in 'pro-x: { unlimited: true }'. Set unlimited to true as tierlimit.rules.per-ip.plans.pro-x.unlimited, in place of tierlimit.rules.per-ip.plans.pro-x (test).
					tierlimit.rules=none; tierlimit.rules has a value, but is a map of rules by their ids, as in 'per-ip: { rate: 10/s }'. Write it so, or remove tierlimit.rules (test).
					tierlimit.rules.per-ip.plans=pro; tierlimit.rules.per-ip.plans has a value, but is a map of plans by their names, as in 'pro: { rate: 10/s }'. Write it so, or remove tierlimit.rules.per-ip.plans (test).
					tierlimit.client-ip=10.0.0.0/8; tierlimit.client-ip has a value, but is a set of properties: trusted-proxies, header, ipv4-prefix, ipv6-prefix. Set one of them in place of tierlimit.client-ip (test).
					tierlimit.keys=0123456789abcdef; tierlimit.keys has a value, but is a set of properties: hash, secret. Set one of them in place of tierlimit.keys (test).
					tierlimit.user=claim('sub'); tierlimit.user has a value, but is a set of properties: key. Set one of them in place of tierlimit.user (test).
					tierlimit.user=nobody; tierlimit.user has a value, but is a set of properties: key. Set one of them in place of tierlimit.user (test).
					""")
	void valueInPlaceOfPropertiesIsReportedOnce(String property, String problem) {
		assertThat(problems(Map.of(), property, RULE, PLAN, "tierlimit.client-ip.ipv6-prefix=48",
				"tierlimit.keys.hash=none"))
			.containsExactly(problem);
		String other = property.contains("plans") ? RULE : "tierlimit.rules.b.rate=1/s";
		assertThat(problems(Map.of(), property, other)).containsExactly(problem);
	}

	@Test
	void mapThatIsOnlyAValueIsReportedOnce() {
		assertThat(problems(Map.of(), "tierlimit.rules=none")).singleElement()
			.asString()
			.startsWith("tierlimit.rules has a value, but is a map");
		assertThat(problems(Map.of("TIERLIMIT_RULES", "none"))).singleElement()
			.asString()
			.startsWith("The environment variable TIERLIMIT_RULES has a value");
	}

	@Test
	void numberThatIsNoneIsReportedAsSuch() {
		assertThat(problems(Map.of(), "tierlimit.redis.local-share=half")).containsExactly(
				"There is redis.local-share 'half', but it is a number. Correct tierlimit.redis.local-share (test).");
	}

	@ParameterizedTest
	@ValueSource(strings = { "headers", "plan", "memory", "redis", "rejections", "web" })
	void everyPartHasProperties(String part) {
		String value = "tierlimit." + part + "=secret";
		assertThat(problems(Map.of(), value)).singleElement()
			.asString()
			.startsWith("tierlimit." + part + " has a value, but is a set of properties: ")
			.endsWith("Set one of them in place of tierlimit." + part + " (test).")
			.doesNotContain("secret");
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			textBlock = """
					TIERLIMIT_RULES_PERIP; Rule 'perip' has the value '1/d', but a rule is a set of properties, as in 'perip: { rate: 1/d }'. Set the rate as the environment variable TIERLIMIT_RULES_PERIP_RATE in place of TIERLIMIT_RULES_PERIP.
					TIERLIMIT_RULES_PER_IP; Rule 'per-ip' has the value '1/d', but a rule is a set of properties, as in 'per-ip: { rate: 1/d }'. Set the rate as the environment variable TIERLIMIT_RULES_PERIP_RATE in place of TIERLIMIT_RULES_PER_IP.
					TIERLIMIT_RULES_PERIP_PLANS_PRO_X; Plan 'pro-x' of rule 'per-ip' has the value '1/d', but a plan is a set of properties, as in 'pro-x: { rate: 1/d }'. Set the rate as the environment variable TIERLIMIT_RULES_PERIP_PLANS_PROX_RATE in place of TIERLIMIT_RULES_PERIP_PLANS_PRO_X.
					TIERLIMIT_RULES; The environment variable TIERLIMIT_RULES has a value, but tierlimit.rules is a map of rules by their ids, as in 'per-ip: { rate: 10/s }'. Write it so, or remove TIERLIMIT_RULES.
					TIERLIMIT_CLIENT_IP; The environment variable TIERLIMIT_CLIENT_IP has a value, but tierlimit.client-ip is a set of properties: trusted-proxies, header, ipv4-prefix, ipv6-prefix. Set one of them in place of TIERLIMIT_CLIENT_IP.
					TIERLIMIT_USER; The environment variable TIERLIMIT_USER has a value, but tierlimit.user is a set of properties: key. Set one of them in place of TIERLIMIT_USER.
					""")
	void variableInPlaceOfPropertiesIsNamed(String variable, String problem) {
		assertThat(problems(Map.of(variable, "1/d"), RULE, PLAN)).containsExactly(problem);
		assertThat(problems(Map.of(variable, "1/d"), RULE, PLAN, "tierlimit.client-ip.ipv6-prefix=48",
				"tierlimit.user.key=user"))
			.containsExactly(problem);
	}

	@Test
	void valueOfTheRootStopsStartupUnlessAVariableSetsIt(CapturedOutput output) {
		for (String other : List.of(RULE, "other=1")) {
			assertThat(problems(Map.of(), "tierlimit=none", other)).singleElement()
				.asString()
				.startsWith("tierlimit has a value, but is a set of properties: enabled, rules,");
		}
		withVariables(Map.of("TIERLIMIT", "1.0"), RULE).run((context) -> assertThat(context).hasNotFailed());
		withVariables(Map.of("TIERLIMIT", "1.0")).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("The environment variable TIERLIMIT has a value, but tierlimit is a set of");
	}

	@ParameterizedTest
	@ValueSource(strings = { "TIERLIMIT_RULES", "TIERLIMIT_RULES_PERIP", "TIERLIMIT_RULES_PERIP_PLANS",
			"TIERLIMIT_RULES_PERIP_PLANS_PROX", "TIERLIMIT_CLIENTIP", "TIERLIMIT_USER", "TIERLIMIT_WEB", "TIERLIMIT",
			"TIERLIMIT_REDIS" })
	void blankValueIsNone(String variable) {
		for (String blank : List.of("", " ", "${no.such:}")) {
			for (String own : List.of("tierlimit.client-ip.ipv6-prefix=48", "other=1")) {
				withVariables(Map.of(variable, blank), RULE, PLAN, own, "tierlimit.web.max-waiting=7")
					.run((context) -> {
						assertThat(context).hasNotFailed();
						assertThat(context.getBean(RuleSet.class).rules()).singleElement()
							.satisfies((rule) -> assertThat(rule.limits().plans()).containsOnlyKeys("pro-x"));
						assertThat(context.getBean(TierlimitProperties.class).web().maxWaiting()).isEqualTo(7);
					});
			}
		}
	}

	@Test
	void blankValueAloneIsAnEmptyRuleOrNone() {
		for (String blank : List.of("", " ")) {
			assertThat(problems(Map.of("TIERLIMIT_RULES_B", blank))).singleElement()
				.asString()
				.contains("Rule 'b' has a limit without a rate", "TIERLIMIT_RULES_B");
			assertThat(problems(Map.of(), "tierlimit.rules.b=" + blank)).singleElement()
				.asString()
				.startsWith("Rule 'b' has a limit without a rate");
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
	void serviceLinkWithTheIdOfARuleIsNone() {
		withVariables(Map.of("TIERLIMIT_RULES_PORT", "tcp://10.0.0.1:80"), "tierlimit.rules.port.rate=1/s")
			.run((context) -> assertThat(context.getBean(RuleSet.class).rules()).hasSize(1));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"',
			textBlock = """
					tierlimit.rules.per-ip[0]; tierlimit.rules.per-ip is a list, but must be a set of properties: enabled,
					tierlimit.web[0]; tierlimit.web is a list, but must be a set of properties: order,
					tierlimit.rules.per-ip.plans[0].rate; tierlimit.rules.per-ip.plans is a list, but plans stand in a map by their names
					tierlimit.rules.per-ip.rate[0]; tierlimit.rules.per-ip.rate is a list, but must be a single value
					tierlimit.client-ip.trusted-proxies[0][1]; tierlimit.client-ip.trusted-proxies[0] is a list, but must be a single value
					tierlimit.client-ip.trusted-proxies[0].net; 'net' is unknown
					tierlimit.client-ip.trusted-proxies[1]; There is client-ip.trusted-proxies, but it is a list, whose entries are numbered from 0 without a gap
					""")
	void listInPlaceOfAnythingElseIsReported(String property, String problem) {
		assertThat(problems(Map.of(), property + "=1/s", "tierlimit.rules.b.rate=1/s"))
			.anySatisfy((text) -> assertThat(text).contains(problem));
	}

	@Test
	void everyListIsReportedOnce() {
		assertThat(problems(Map.of(), "tierlimit.rules[0].id=a", "tierlimit.rules[0].rate=1/s",
				"tierlimit.rules[1].id=b", "tierlimit.web[0]=1"))
			.hasSize(2);
	}

	private ApplicationContextRunner withVariables(Map<String, String> variables, String... properties) {
		return this.runner.withPropertyValues(properties)
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.replace("systemEnvironment",
						new SystemEnvironmentPropertySource("systemEnvironment", new HashMap<>(variables))));
	}

	private List<String> problems(Map<String, String> variables, String... properties) {
		List<String> problems = new ArrayList<>();
		withVariables(variables, properties).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> problems.addAll(ex.problems()));
		});
		return problems;
	}

}
