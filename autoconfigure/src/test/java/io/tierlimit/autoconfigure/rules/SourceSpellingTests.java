package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.tierlimit.LimitDefinition;
import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.AnnotatedBean;
import io.tierlimit.autoconfigure.EnvironmentVariables;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.spi.RuleSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * A property that several sources set, in different spellings, and properties that are
 * not read.
 */
@ExtendWith(OutputCaptureExtension.class)
class SourceSpellingTests {

	private final TestRuleSource table = new TestRuleSource("table");

	private final ApplicationContextRunner runner = RuleReading.RUNNER;

	private final ApplicationContextRunner withTable = this.runner.withBean("table", RuleSource.class,
			() -> this.table);

	@Test
	void filesProfilesAndVariablesOverrideSingleValuesAndDefineARule(@TempDir Path directory) throws IOException {
		Files.writeString(directory.resolve("application.yml"), """
				tierlimit:
				  rules:
				    per-ip: { scope: ip, rate: 20/s, burst: 40 }
				    per-user:
				      scope: user
				      rate: 10/s
				      burst: 50
				      plans:
				        pro-yearly: { rate: 100/s, burst: 500 }
				""");
		Files.writeString(directory.resolve("application-prod.yml"), "tierlimit.rules.per-user.burst: 70");
		this.runner
			.withInitializer(EnvironmentVariables.of(Map.of("SPRING_PROFILES_ACTIVE", "prod",
					"TIERLIMIT_RULES_PERIP_BURST", "", "TIERLIMIT_RULES_PERUSER_RATE", "11/s",
					"TIERLIMIT_RULES_PERUSER_PLANS_PROYEARLY_BURST", "600", "TIERLIMIT_RULES_NEW_RATE", "1/s",
					"TIERLIMIT_SERVICE_HOST", "10.0.0.1", "TIERLIMIT_RULES_PORT", "tcp://10.0.0.3:80")))
			.withInitializer(new ConfigDataApplicationContextInitializer())
			.withPropertyValues("spring.config.location=file:" + directory + "/")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules())
				.extracting(Rule::id, (rule) -> rule.scope().names(), Rule::limits)
				.containsExactlyInAnyOrder(
						tuple("per-ip", List.of("ip"), new RuleLimits(new TokenBucket(Rate.parse("20/s"), 20))),
						tuple("per-user", List.of("user"),
								new RuleLimits(new TokenBucket(Rate.parse("11/s"), 70),
										Map.of("pro-yearly",
												new PlanLimit(new TokenBucket(Rate.parse("100/s"), 600))))),
						tuple("new", List.of(), new RuleLimits(new TokenBucket(Rate.parse("1/s"))))));
	}

	@Test
	void environmentVariableRenamesNeitherARuleNorAPlan() {
		environment(Map.of("TIERLIMIT_RULES_PERIP_RATE", "77/s", "TIERLIMIT_RULES_PERIP_PLANS_PRO_BURST", "78",
				"TIERLIMIT_RULES_PERIP_PLANS_PROMAX_RATE", "79/s", "TIERLIMIT_RULES_PERIP_CANDIDATE_PLANS_PRO_RATE",
				"80/s"))
			.withPropertyValues("tierlimit.rules.per-ip.rate=10/s", "tierlimit.rules.per-ip.plans.Pro.rate=50/s",
					"tierlimit.rules.per-ip.plans.pro-max.rate=99/s",
					"tierlimit.rules.per-ip.candidate.plans.Pro.rate=1/s")
			.run((context) -> {
				Rule rule = rule(context);
				assertThat(rule.id()).isEqualTo("per-ip");
				assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("77/s")));
				assertThat(rule.limits().plans()).containsOnlyKeys("Pro", "pro-max")
					.containsEntry("Pro", new PlanLimit(new TokenBucket(Rate.parse("50/s"), 78)))
					.containsEntry("pro-max", new PlanLimit(new TokenBucket(Rate.parse("79/s"))));
				assertThat(rule.derived().get(0).limits().plans()).containsEntry("Pro",
						new PlanLimit(new TokenBucket(Rate.parse("80/s"))));
			});
	}

	@Test
	void environmentVariableMayHaveAnUnderscoreInPlaceOfEachDash() {
		environment(Map.of("TIERLIMIT_RULES_PER_IP_RATE", "2/s", "TIERLIMIT_RULES_PER_IP_MAX_WAIT", "4s",
				"TIERLIMIT_RULES_PER_IP_PLANS_PRO_X_RATE", "3/s", "TIERLIMIT_RULES_PER_IP_EXCLUDE_PATHS_0", "/x"))
			.withPropertyValues("tierlimit.rules.per-ip.rate=1/s", "tierlimit.rules.per-ip.plans.pro-x.rate=1/s",
					"tierlimit.rules.per-ip.exclude-paths=/y")
			.run((context) -> {
				Rule rule = rule(context);
				assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("2/s")));
				assertThat(rule.limits().plans())
					.isEqualTo(Map.of("pro-x", new PlanLimit(new TokenBucket(Rate.parse("3/s")))));
				assertThat(rule.selection().excludePaths()).containsExactly("/x");
				assertThat(rule.options().overdraft().ticks()).isEqualTo(4_000_000);
			});
		environment(Map.of("TIERLIMIT_RULES_A_MAX_WAIT", "5s")).withPropertyValues("tierlimit.rules.a.rate=1/s")
			.run((context) -> assertThat(rule(context).options().overdraft().ticks()).isEqualTo(5_000_000));
	}

	/** The rule would apply to all callers together. */
	@Test
	void emptyEnvironmentVariableThatWouldWidenARuleIsReported() {
		environment(Map.of("TIERLIMIT_RULES_PERIP_SCOPE", ""))
			.withPropertyValues("tierlimit.rules.per-ip.rate=1/s", "tierlimit.rules.per-ip.scope=ip")
			.run((context) -> {
				assertProblem(context, "Rule 'per-ip': scope is empty");
				assertProblem(context, "(environment variable TIERLIMIT_RULES_PERIP_SCOPE)");
			});
	}

	@ParameterizedTest
	@CsvSource({ "unlimited, true, rate, 3/s", "rate, 3/s, unlimited, true" })
	void planThatBecomesUnlimitedKeepsItsName(String defined, String value, String changed, String other) {
		this.table.set("it", "plans.promax." + changed, other);
		this.withTable
			.withBean(RuleDefinition.class,
					() -> RuleDefinition.of("it")
						.rate(1, Duration.ofSeconds(1))
						.property("plans[Pro-Max]." + defined, value))
			.run((context) -> assertThat(rule(context).limits().plans()).containsOnlyKeys("Pro-Max"));
	}

	@Test
	void elementOfAListWithoutTheOthersIsReported() {
		environment(Map.of("TIERLIMIT_RULES_API_PATHS_1", "/new"))
			.withPropertyValues("tierlimit.rules.api.rate=1/s", "tierlimit.rules.api.paths[0]=/a",
					"tierlimit.rules.api.paths[1]=/b")
			.run((context) -> assertProblem(context,
					"Rule 'api': paths must be a list whose entries are numbered from 0 without a gap"));
	}

	@Test
	void listMayBeginWithABlank() {
		this.runner
			.withPropertyValues("tierlimit.rules.api.rate=1/s", "tierlimit.rules.api.schedule.ranges[0]=",
					"tierlimit.rules.api.schedule.ranges[1]=2030-01-01T00:00Z/..")
			.run((context) -> assertProblem(context, "Rule 'api': schedule.ranges must be"));
	}

	@Test
	void sourceOfTheApplicationMayHaveObjects() {
		Map<String, Object> values = Map.of("tierlimit.rules.api.rate", "1/s", "tierlimit.rules.api.paths",
				new String[] { "/a,b", "/c" }, "tierlimit.rules.api.exclude-paths", List.of("/a"),
				"tierlimit.rules.api.max-wait", Duration.ofSeconds(2));
		RuleReading.withSource("objects", values).run((context) -> {
			assertThat(rule(context).selection().paths()).containsExactly("/a,b", "/c");
			assertThat(rule(context).selection().excludePaths()).containsExactly("/a");
			assertThat(rule(context).options().overdraft().ticks()).isEqualTo(2_000_000);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "FALSE", "off", "no" })
	void variablesMayDisableARule(String value, CapturedOutput output) {
		environment(Map.of("TIERLIMIT_RULES_LEGACY_ENABLED", value))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("has no rate");
	}

	@ParameterizedTest
	@ValueSource(strings = { "plans.pro.is-unlimited", "candidate.unlimited", "plans[pro]", "plans.pro", "rate[0]",
			"plans.pro.unlimited[0]", "ban.after[0]", "plans.pro.limit.rate", "plans.a[b].rate" })
	void nameOfATableThatNothingReadsIsReported(String name) {
		this.table.set("it", "rate", "1/s").set("it", name, "true");
		this.withTable.run((context) -> assertProblem(context, "table, row 'it'"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "mode ", "max wait", "max-wait ", "max/wait", "burst:", "burst.", ".burst", "burst[]",
			"[burst]", "scope]", "rate\u00a0", "plans.pro..rate", "plans[pro][rate]", "plans[pro]rate", "plans[pro]",
			"candidate.plans[p]", "unlimited.x", "", "methods[x]" })
	void nameOfCodeThatNothingReadsIsReported(String name) {
		this.runner
			.withBean(RuleDefinition.class,
					() -> RuleDefinition.of("it").rate(1, Duration.ofSeconds(1)).property(name, "5"))
			.run((context) -> assertProblem(context, "the RuleDefinition bean 'ruleDefinition'"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', value = { "until[0]; 2020-01-01T00:00Z; until must be a single value, not a list",
			"Unlimited; true; nlimited is set twice", "key[0]; a; exactly one of user" })
	void nameOfAnOverrideThatNothingReadsIsReported(String name, String value, String problem) {
		this.table.set("it", "rate", "1/s").override("o", Map.of("user", "u", "unlimited", "true", name, value));
		this.withTable.run((context) -> assertProblem(context, problem));
	}

	@Test
	void elementsOfAListAreSetOneByOne() {
		RuleDefinition definition = RuleDefinition.of("it")
			.rate(1, Duration.ofSeconds(1))
			.methods("PUT")
			.property("methods[0]", "GET")
			.property("methods[1]", "POST")
			.plan("5", LimitDefinition::unlimited);
		RuleDefinition[] copy = { RuleDefinition.of("it") };
		definition.properties().forEach((name, text) -> copy[0] = copy[0].property(name, text));
		assertThat(copy[0].properties()).isEqualTo(definition.properties());
		this.runner.withBean(RuleDefinition.class, () -> copy[0]).run((context) -> {
			assertThat(rule(context).selection().methods()).containsExactlyInAnyOrder("GET", "POST");
			assertThat(rule(context).limits().plans()).containsEntry("5", PlanLimit.UNLIMITED);
		});
	}

	@Test
	void emptyPropertyOfAnAnnotationThatWouldWidenTheRuleIsReported() {
		this.runner.withUserConfiguration(AnnotatedBean.named("EmptyKey", "call: rate=1/s; properties=key=${no.such:}"))
			.run((context) -> assertProblem(context, "Rule 'EmptyKey.call': key is empty"));
		this.runner
			.withUserConfiguration(AnnotatedBean.named("PartOfAScope", "call: rate=1/s; scope=ip; scope=${no.such:}"))
			.run((context) -> assertThat(rule(context).scope().names()).containsExactly("ip"));
	}

	private ApplicationContextRunner environment(Map<String, String> variables) {
		return this.runner.withInitializer(EnvironmentVariables.overriding(variables));
	}

	private static void assertProblem(AssertableApplicationContext context, String problem) {
		assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(problem);
	}

	private static Rule rule(AssertableApplicationContext context) {
		List<Rule> rules = context.getBean(ConfiguredRules.class).rules().rules();
		assertThat(rules).hasSize(1);
		return rules.get(0);
	}

}
