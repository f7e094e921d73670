package io.tierlimit.autoconfigure.rules;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.AppliesTo;
import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.EnvironmentVariables;
import io.tierlimit.autoconfigure.ReportedProblems;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.spi.RuleSource;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static io.tierlimit.autoconfigure.rules.ContextRules.reload;
import static io.tierlimit.autoconfigure.rules.ContextRules.rule;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The preset that limits failed logins.
 */
class LoginProtectionTests {

	private static final String PREFIX = "tierlimit.login-protection.";

	private static final String ACCOUNT = "login-failures-per-account";

	private static final String ADDRESS = "login-failures-per-address";

	private static final String MULTIPART = "login-failures-multipart";

	private final ApplicationContextRunner runner = RuleReading.RUNNER.withPropertyValues("tierlimit.store=memory",
			PREFIX + "path=/login", PREFIX + "per-account=5/h", PREFIX + "per-address=20/h");

	@Test
	void presetYieldsItsRules() {
		this.runner.run((context) -> {
			Selection logins = new Selection(AppliesTo.REQUESTS, List.of("/login"), List.of(), Set.of("POST"));
			Rule account = rule(context, ACCOUNT);
			assertThat(account.selection()).isEqualTo(logins);
			assertThat(account.scope())
				.isEqualTo(new Scope(List.of(), "param('username')?.trim()?.toLowerCase()", MissingKeyPolicy.SKIP));
			assertThat(account.limits()).isEqualTo(limit("5/h"));
			ChargePolicy policy = policy(account);
			assertThat(policy.chargeOn()).extracting(Object::toString).containsExactly("401", "authentication-failure");
			assertThat(policy.resetOn()).extracting(Object::toString).containsExactly("authentication-success");
			Rule address = rule(context, ADDRESS);
			assertThat(address.selection()).isEqualTo(logins);
			assertThat(address.scope()).isEqualTo(Scope.of(Scope.IP));
			assertThat(address.limits()).isEqualTo(limit("20/h"));
			assertThat(policy(address)).isEqualTo(new ChargePolicy(policy.chargeOn(), List.of()));
			Rule multipart = rule(context, MULTIPART);
			assertThat(multipart.selection()).isEqualTo(logins);
			assertThat(multipart.scope()).isEqualTo(Scope.of(Scope.GLOBAL));
			assertThat(multipart.limits()).isEqualTo(limit("5/h"));
			assertThat(multipart.options().expressions())
				.containsExactly("header('Content-Type')?.toLowerCase()?.startsWith('multipart/') == true");
			assertThat(policy(multipart)).isEqualTo(policy(address));
			assertThat(ContextRules.ids(context)).containsExactly(ACCOUNT, ADDRESS, MULTIPART);
		});
	}

	@Test
	void unsetPresetYieldsNothing() {
		for (String account : List.of("", " ", "param('username')?.trim()?.toLowerCase()")) {
			RuleReading.RUNNER
				.withPropertyValues("tierlimit.rules.other.rate=1/s", PREFIX + "path=", PREFIX + "account=" + account)
				.run((context) -> assertThat(ContextRules.ids(context)).as(account).containsExactly("other"));
		}
	}

	@Test
	void eachPropertyOfTheRulesCanBeOverridden() {
		this.runner
			.withPropertyValues(PREFIX + "account=header('X-Account')", "tierlimit.rules.other.rate=1/s",
					"tierlimit.rules." + ACCOUNT + ".rate=3/h", "tierlimit.rules." + ACCOUNT + ".charge-on=403",
					"tierlimit.rules." + ADDRESS + ".enabled=false")
			.run((context) -> {
				Rule account = rule(context, ACCOUNT);
				assertThat(account.limits()).isEqualTo(limit("3/h"));
				assertThat(account.scope().key()).isEqualTo("header('X-Account')");
				ChargePolicy policy = policy(account);
				assertThat(policy.chargeOn()).extracting(Object::toString).containsExactly("403");
				assertThat(policy.resetOn()).hasSize(1);
				assertThat(ContextRules.ids(context)).containsExactlyInAnyOrder(ACCOUNT, MULTIPART, "other");
				assertThat(origin(context, ACCOUNT)).matches("tierlimit.login-protection \\(.*\\), changed by .+");
			});
	}

	@Test
	void environmentVariableOverridesAProperty() {
		this.runner
			.withInitializer(EnvironmentVariables.overriding(Map.of("TIERLIMIT_RULES_LOGIN_FAILURES_PER_ACCOUNT_RATE",
					"3/h", "TIERLIMIT_RULES_LOGINFAILURESPERADDRESS_RATE", "9/h", "TIERLIMIT_LOGIN_PROTECTION_PATH",
					"/signin")))
			.run((context) -> {
				assertThat(ContextRules.ids(context)).containsExactly(ADDRESS, ACCOUNT, MULTIPART);
				assertThat(rule(context, ACCOUNT).limits()).isEqualTo(limit("3/h"));
				assertThat(rule(context, ADDRESS).limits()).isEqualTo(limit("9/h"));
				assertThat(rule(context, ACCOUNT).selection().paths()).containsExactly("/signin");
			});
	}

	@Test
	void ruleSourceOverridesAProperty() {
		TestRuleSource table = new TestRuleSource("table").set("loginFailuresPerAccount", "rate", "3/h");
		this.runner.withBean("table", RuleSource.class, () -> table).run((context) -> {
			assertThat(rule(context, ACCOUNT).limits()).isEqualTo(limit("3/h"));
			assertThat(origin(context, ACCOUNT))
				.matches("tierlimit.login-protection \\(.*\\), changed by table, row .*");
			assertThat(origin(context, ADDRESS)).isEqualTo("tierlimit.login-protection (test)");
		});
	}

	@Test
	void mistakesNameThePropertiesOfThePreset() {
		assertReported(problems(PREFIX + "per-account=5/h"),
				"tierlimit.login-protection (test): path is not set|Set tierlimit.login-protection.path to the path to "
						+ "which logins are sent, such as /login.",
				"tierlimit.login-protection (test): per-address is not set"
						+ "|Set tierlimit.login-protection.per-address to |20/h");
		assertReported(problems(PREFIX + "path=/login"),
				"per-account is not set|Set tierlimit.login-protection.per-account to |5/h", "per-address is not set");
		assertReported(
				problems(PREFIX + "path=/{a", PREFIX + "per-account=fast", PREFIX + "per-address=0/h",
						PREFIX + "account=usr"),
				"Rule 'login-failures-per-account': path '/{a'|tierlimit.login-protection.path (test)",
				"Rule 'login-failures-per-address': path '/{a'|tierlimit.login-protection.path (test)",
				"Rule 'login-failures-multipart': path '/{a'|tierlimit.login-protection.path (test)",
				"Rule 'login-failures-multipart': rate must be|(was 'fast')"
						+ "|Correct tierlimit.login-protection.per-account (test).",
				"Rule 'login-failures-per-account': rate must be|(was 'fast')"
						+ "|Correct tierlimit.login-protection.per-account (test).",
				"Rule 'login-failures-per-address': rate must have|'0/h'"
						+ "|Correct tierlimit.login-protection.per-address (test).",
				"Rule 'login-failures-per-account'|usr|Correct tierlimit.login-protection.account (test).");
		assertReported(problems("tierlimit.login-protection=/login"),
				"tierlimit.login-protection must be a set of properties (path, per-account, per-address, account)");
		assertReported(
				ReportedProblems.of(this.runner.withPropertyValues("tierlimit.rules." + ACCOUNT + ".rate=slow",
						PREFIX + "per-acount=3/h")),
				"Rule 'login-failures-per-account': rate must be|tierlimit.rules.login-failures-per-account.rate (test)",
				"tierlimit.login-protection: 'per-acount' is not a known property");
	}

	@Test
	void beanMustNotHaveTheIdOfARuleOfThePreset() {
		assertReported(
				ReportedProblems.of(this.runner.withBean("own", RuleDefinition.class,
						() -> RuleDefinition.of(ACCOUNT).rate(Rate.parse("1/h")))),
				"Rule 'login-failures-per-account': the rule is also defined by the configuration");
	}

	@Test
	void reloadReadsThePresetAgain() {
		this.runner.withPropertyValues("tierlimit.rules.other.rate=1/s").run((context) -> {
			set(context, "per-account=3/h");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(rule(context, ACCOUNT).limits()).isEqualTo(limit("3/h"));
			set(context, "per-account=");
			assertThat(reload(context)).isEqualTo(Outcome.INVALID);
			assertThat(context.getBean(RuleReloader.class).last().problems()).singleElement()
				.asString()
				.contains("per-account is not set");
			assertThat(rule(context, ACCOUNT).limits()).as("the previous rule").isEqualTo(limit("3/h"));
			set(context, "path=", "per-address=");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(ContextRules.ids(context)).containsExactly("other");
		});
	}

	private static void set(ApplicationContext context, String... properties) {
		for (String property : properties) {
			TestPropertyValues.of(PREFIX + property).applyTo((ConfigurableEnvironment) context.getEnvironment());
		}
	}

	private static ChargePolicy policy(Rule rule) {
		return Objects.requireNonNull(rule.options().find(ChargePolicy.class));
	}

	private static List<String> problems(String... properties) {
		return RuleReading.allProblems(properties);
	}

	private static String origin(ApplicationContext context, String rule) {
		return context.getBean(ConfiguredRules.class).origin(rule);
	}

	private static RuleLimits limit(String rate) {
		return new RuleLimits(new TokenBucket(Rate.parse(rate)));
	}

}
