package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDefinition;
import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.RulesInForce;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.schedule.ActiveTimes;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.RuleSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;
import org.springframework.core.annotation.Order;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Rule sources, and reloading the rules.
 */
@ExtendWith(OutputCaptureExtension.class)
class RuleSourceTests {

	private final TestRuleSource table = new TestRuleSource("table");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withPropertyValues("tierlimit.store=memory", "tierlimit.rules.per-user.rate=10/s",
				"tierlimit.rules.per-user.burst=50", "tierlimit.rules.per-user.scope=user",
				"tierlimit.rules.per-user.plans.pro.rate=100/s")
		.withBean("table", RuleSource.class, () -> this.table);

	/** Applications of other tests may have changed the level. */
	@BeforeEach
	void logInformation() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.tierlimit", LogLevel.INFO);
	}

	@Test
	void sourceAddsARuleAfterThoseOfTheConfiguration() {
		this.table.set("extra", "rate", "5/m").set("extra", "scope", "user, ip").set("extra", "mode", "shadow");
		this.runner.run((context) -> {
			assertThat(ids(context)).containsExactly("per-user", "extra");
			assertThat(rule(context, "extra").scope().names()).containsExactlyInAnyOrder("user", "ip");
			assertThat(rule(context, "extra").options().mode()).isEqualTo(RuleMode.SHADOW);
			assertThat(context.getBean(ConfiguredRules.class).origin("extra")).isEqualTo("table, row 'extra'");
		});
	}

	@Test
	void sourceOverridesSinglePropertiesOfTheConfiguration() {
		this.table.set("per-user", "rate", "3/s").set("per-user", "plans.free.rate", "1/s");
		this.runner.run((context) -> {
			Rule rule = rule(context, "per-user");
			assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("3/s"), 50));
			assertThat(rule.scope().names()).containsExactly("user");
			assertThat(rule.limits().plans()).containsOnlyKeys("pro", "free");
			assertThat(context.getBean(ConfiguredRules.class).origin("per-user"))
				.isEqualTo("test, changed by table, row 'per-user'");
		});
	}

	@Test
	void spellingOfTheConfigurationWins() {
		this.table.set("perUser", "rate", "3/s");
		this.runner.run((context) -> {
			assertThat(ids(context)).containsExactly("per-user");
			assertThat(rule(context, "per-user").limits().standard().rate()).isEqualTo(Rate.parse("3/s"));
		});
	}

	@Test
	void sourceOverridesARuleOfABean() {
		this.table.set("defined", "mode", "shadow").set("defined", "plans.pro.burst", "9");
		this.runner.withBean("code", RuleDefinition.class, RuleSourceTests::defined).run((context) -> {
			Rule rule = rule(context, "defined");
			assertThat(rule.isShadow()).isTrue();
			assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("7/s"), 8));
			assertThat(rule.limits().plans()).containsEntry("pro",
					new PlanLimit(new TokenBucket(Rate.parse("70/s"), 9)));
			assertThat(context.getBean(ConfiguredRules.class).origin("defined"))
				.isEqualTo("bean 'code', changed by table, row 'defined'");
		});
	}

	@ParameterizedTest
	@CsvSource({ "my_rule, my_rule", "my_rule, myRule", "my_rule, my-rule", "[my_rule], my_rule", "[my.rule], my.rule",
			"perIp, perIp", "perIp, per_ip", "per-ip, perIp", "PerIp, per-ip" })
	void idOfTheConfigurationMayBeSpelledInAnotherWay(String written, String row) {
		this.table.set(row, "rate", "3/s");
		this.runner
			.withPropertyValues("tierlimit.rules." + written + ".rate=1/s", "tierlimit.rules." + written + ".scope=ip",
					"tierlimit.rules." + written + ".paths=/only/**")
			.run((context) -> {
				String id = written.replace("[", "").replace("]", "");
				assertThat(ids(context)).containsExactly("per-user", id);
				Rule rule = rule(context, id);
				assertThat(rule.limits().standard().rate()).isEqualTo(Rate.parse("3/s"));
				assertThat(rule.scope().names()).containsExactly("ip");
				assertThat(rule.selection().paths()).containsExactly("/only/**");
				assertThat(context.getBean(ConfiguredRules.class).origin(id)).endsWith("table, row '" + row + "'");
			});
	}

	@ParameterizedTest
	@CsvSource({ "my_rule, my_rule", "my_rule, my-rule", "placeOrder, placeOrder", "placeOrder, place-order",
			"Orders.place, Orders.place", "Orders.place, orders.place" })
	void idOfABeanMayBeSpelledInAnotherWay(String id, String row) {
		this.table.set(row, "rate", "3/s");
		this.runner
			.withBean(RuleDefinition.class, () -> RuleDefinition.of(id).rate(1, Duration.ofSeconds(1)).scope("ip"))
			.run((context) -> {
				assertThat(ids(context)).containsExactlyInAnyOrder("per-user", id);
				assertThat(rule(context, id).limits().standard().rate()).isEqualTo(Rate.parse("3/s"));
				assertThat(rule(context, id).scope().names()).containsExactly("ip");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "placeOrder", "place_order", "place-order" })
	void idOfAnAnnotationMayBeSpelledInAnotherWay(String row) {
		this.table.set(row, "rate", "3/s");
		this.runner.withBean(NamedOrders.class).run((context) -> {
			assertThat(ids(context)).containsExactly("per-user", "placeOrder");
			assertThat(rule(context, "placeOrder").limits().standard().rate()).isEqualTo(Rate.parse("3/s"));
			assertThat(rule(context, "placeOrder").appliesToRequests()).isFalse();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "my_rule", "myRule", "my.rule", "my-rule" })
	void idOfASourceKeepsItsSpelling(String id) {
		this.table.set(id, "rate", "3/s").set(id, "plans.Gold.rate", "4/s").set(id, "plans.my_plan.rate", "5/s");
		this.runner.run((context) -> {
			assertThat(ids(context)).containsExactly("per-user", id);
			assertThat(rule(context, id).limits().plans()).containsOnlyKeys("Gold", "my_plan");
		});
	}

	@ParameterizedTest
	@CsvSource({ "Gold, gold", "gold, Gold", "my_plan, my-plan", "my-plan, my_plan", "[a.b], [a.b]" })
	void planMayBeSpelledInAnotherWay(String written, String row) {
		this.table.set("per-user", "plans." + row + ".rate", "9/s");
		this.runner
			.withPropertyValues("tierlimit.rules.per-user.plans." + written + ".rate=1/s",
					"tierlimit.rules.per-user.plans." + written + ".burst=77")
			.run((context) -> assertThat(rule(context, "per-user").limits().plans()).hasSize(2)
				.containsEntry(written.replace("[", "").replace("]", ""),
						new PlanLimit(new TokenBucket(Rate.parse("9/s"), 77))));
	}

	@Test
	void planMayBecomeUnlimitedAndTheReverse() {
		this.table.set("per-user", "plans.pro.unlimited", "yes").set("per-user", "plans.free.rate", "1/s");
		this.runner.withPropertyValues("tierlimit.rules.per-user.plans.free.unlimited=on")
			.run((context) -> assertThat(rule(context, "per-user").limits().plans())
				.containsEntry("pro", PlanLimit.UNLIMITED)
				.containsEntry("free", new PlanLimit(new TokenBucket(Rate.parse("1/s"), 1))));
	}

	@Test
	void oneSourceSpellsARuleAndAPropertyOnce() {
		this.table.set("my-rule", "rate", "1/s")
			.set("myRule", "burst", "2")
			.set("per-user", "max-wait", "0s")
			.set("per-user", "maxWait", "1s");
		this.runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContainingAll("Rules 'my-rule' and 'myRule' are the same rule", "maxWait",
					"are the same property", "table, row 'per-user'"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "a]b", "", " ", "a b", "..", "-", "[x]" })
	void idMustBeValid(String id) {
		this.table.set(id, "rate", "1/s");
		this.runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContainingAll("Rule '" + id + "': the id of a rule must have", "table, row '" + id + "'"));
	}

	@ParameterizedTest
	@ValueSource(strings = { ".", "", "[x", "rate.", "plans..rate", "plans[].rate", "ra te" })
	void nameOfAPropertyMustBeValid(String name) {
		this.table.set("extra", "rate", "1/s").set("extra", name, "1/s");
		this.runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContainingAll("Rule 'extra': '" + name + "' is not the name of a property",
					"table, row 'extra'"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "scope", "key", "paths", "methods", "condition" })
	void emptyValueThatWouldWidenTheRuleIsAProblem(String name) {
		this.table.set("per-user", name, "");
		this.runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContainingAll("Rule 'per-user': " + name + " is empty", "table, row 'per-user'"));
	}

	@Test
	void timeWithoutAUnitIsAProblem() {
		this.table.set("per-user", "max-wait", "5");
		this.runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContaining("Rule 'per-user': max-wait must be a time such as 500ms, 10s or 5m (was '5')"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "rat", "ban.withn", "plans.pro.limit", "candidate.rat", "adaptive.min", "scopes[0]" })
	void unknownPropertyIsAProblem(String name) {
		this.table.set("per-user", name, "1");
		this.runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContainingAll("'" + name.replaceAll(".*\\.|\\[.*", "") + "' is not a known property",
					"table, row 'per-user'"));
	}

	@Test
	void nullIsAFailureOfTheSource() {
		Map<String, Map<String, String>> nothing = new HashMap<>();
		nothing.put("extra", Collections.singletonMap("rate", null));
		this.runner.withBean("broken", RuleSource.class, () -> () -> nothing)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContainingAll("The rule source 'broken' cannot be read", "rule 'extra': rate is null"));
	}

	@Test
	void placeThatCannotBeReadIsAFailureOfTheSource() {
		this.table.set("extra", "rate", "5/m");
		this.runner.run((context) -> {
			this.table.failPlacesWith(new IllegalStateException("closed"));
			assertThat(reload(context)).isEqualTo(Outcome.UNAVAILABLE);
			assertThat(ids(context)).containsExactly("per-user", "extra");
		});
	}

	@Test
	void sourceThatIsAPrototypeIsRead() {
		this.runner.withUserConfiguration(PrototypeSource.class)
			.run((context) -> assertThat(ids(context)).containsExactly("per-user", "prototype"));
	}

	@Test
	void sourceRollsARuleOut() {
		this.table.set("per-user", "enforce-percent", "0.5").set("per-user", "active.weekly", "SAT 10:00-12:00");
		this.runner
			.withPropertyValues("tierlimit.rules.per-user.enforce-percent=20",
					"tierlimit.rules.per-user.active.ranges=2026-11-27T00:00/..",
					"tierlimit.rules.per-user.active.weekly=MON 10:00-12:00",
					"tierlimit.rules.per-user.active.zone=Europe/Berlin")
			.run((context) -> {
				RuleOptions options = rule(context, "per-user").options();
				assertThat(options.find(EnforcedShare.class)).isEqualTo(new EnforcedShare(0.5));
				assertThat(options.find(ActiveTimes.class)).hasToString(
						"ActiveTimes[ranges=[2026-11-26T23:00:00Z/..], weekly=[SAT 10:00-12:00], zone=Europe/Berlin]");
				this.table.set("per-user", "candidate.rate", "7/s");
				context.getBean(RuleReloader.class).reload();
				assertThat(rule(context, "per-user").options().find(CandidateLimits.class))
					.extracting((candidate) -> candidate.limits().standard())
					.isEqualTo(new TokenBucket(Rate.parse("7/s")));
				this.table.set("per-user", "active.zone", "Mars");
				ReloadResult invalid = context.getBean(RuleReloader.class).reload();
				assertThat(invalid.problems()).singleElement()
					.asString()
					.contains("active.zone must be a time zone", "(was 'Mars')", "table, row 'per-user'");
			});
	}

	@Test
	void sourceOverridesSinglePropertiesOfABan() {
		this.table.set("per-user", "ban.after", "7").set("defined", "ban.for", "20m");
		RuleDefinition defined = defined().scope("user").ban(5, ofMinutes(1), ofMinutes(10), ofMinutes(30));
		this.runner.withBean(RuleDefinition.class, () -> defined)
			.withPropertyValues("tierlimit.rules.per-user.ban.after=5", "tierlimit.rules.per-user.ban.within=2m",
					"tierlimit.rules.per-user.ban.for=3m")
			.run((context) -> {
				assertThat(rule(context, "per-user").options().find(Banning.class))
					.isEqualTo(new Banning(BanPolicy.of(7, ofMinutes(2), ofMinutes(3), ofMinutes(3))));
				assertThat(rule(context, "defined").options().find(Banning.class))
					.isEqualTo(new Banning(BanPolicy.of(5, ofMinutes(1), ofMinutes(20), ofMinutes(30))));
				this.table.set("per-user", "ban.for", "5m");
				context.getBean(RuleReloader.class).reload();
				assertThat(rule(context, "per-user").options().find(Banning.class))
					.isEqualTo(new Banning(BanPolicy.of(7, ofMinutes(2), ofMinutes(5), ofMinutes(5))));
				this.table.remove("defined");
				this.table.set("defined", "ban.for", "1h");
				ReloadResult longer = context.getBean(RuleReloader.class).reload();
				assertThat(longer.problems()).singleElement()
					.asString()
					.contains("Rule 'defined': ban.max must not be shorter than ban.for, PT1H (was PT30M)");
			});
	}

	@Test
	void sourceSetsAWholeBanWhereThereIsNone() {
		this.table.set("defined", "ban.after", "5").set("Orders.place", "ban.after", "6");
		this.table.set("Orders.place", "ban.within", "1m").set("Orders.place", "ban.for", "2m");
		this.runner.withBean(RuleDefinition.class, () -> defined().scope("user"))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContainingAll("Rule 'defined': ban.within is not set.",
						"Rule 'defined': ban.for is not set."));
		this.table.remove("defined");
		this.runner.withUserConfiguration(Annotated.class)
			.run((context) -> assertThat(rule(context, "Orders.place").options().find(Banning.class))
				.isEqualTo(new Banning(BanPolicy.of(6, ofMinutes(1), ofMinutes(2), ofMinutes(2)))));
	}

	private static RuleDefinition defined() {
		return RuleDefinition.of("defined")
			.rate(7, Duration.ofSeconds(1))
			.burst(8)
			.plan("pro", (plan) -> plan.rate(70, Duration.ofSeconds(1)));
	}

	@Test
	void sourceOverridesARuleOfAnAnnotation() {
		this.table.set("Orders.place", "rate", "2/s");
		this.runner.withUserConfiguration(Annotated.class).run((context) -> {
			assertThat(rule(context, "Orders.place").limits().standard())
				.isEqualTo(new TokenBucket(Rate.parse("2/s"), 4));
			this.table.set("Orders.place", "enabled", "false");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(ids(context)).containsExactly("per-user");
		});
	}

	@Test
	void sourceDisablesAndEnablesRules() {
		this.table.set("per-user", "enabled", "false").set("off", "enabled", "true").set("defined", "enabled", "false");
		this.runner.withPropertyValues("tierlimit.rules.off.enabled=false", "tierlimit.rules.off.rate=1/s")
			.withBean(RuleDefinition.class, RuleSourceTests::defined)
			.run((context) -> assertThat(ids(context)).containsExactly("off"));
	}

	@Test
	void firstSourceOverridesTheOthers() {
		this.runner.withUserConfiguration(TwoSources.class).run((context) -> {
			Rule rule = rule(context, "both");
			assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("1/s"), 7));
		});
	}

	@Test
	void reloadReplacesTheWholeRuleSetAtOnce() {
		this.table.set("a", "rate", "1/s").set("b", "rate", "1/s");
		this.runner.run((context) -> {
			CompiledRules before = context.getBean(RulesInForce.class).current();
			this.table.set("a", "rate", "2/s").set("c", "rate", "1/s");
			this.table.remove("b");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(before.all()).extracting((rule) -> rule.rule().id()).containsExactly("per-user", "a", "b");
			assertThat(before.all().get(1).rule().limits().standard().rate()).isEqualTo(Rate.parse("1/s"));
			assertThat(ids(context)).containsExactly("per-user", "a", "c");
			assertThat(rule(context, "a").limits().standard().rate()).isEqualTo(Rate.parse("2/s"));
		});
	}

	@Test
	void reloadWithoutAChangeKeepsTheRuleSet(CapturedOutput output) {
		this.runner.run((context) -> {
			CompiledRules before = context.getBean(RulesInForce.class).current();
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
			assertThat(context.getBean(RulesInForce.class).current()).isSameAs(before);
			assertThat(output).doesNotContain("were reloaded");
		});
	}

	@Test
	void reloadReadsTheConfigurationAgain(CapturedOutput output) {
		this.runner.run((context) -> {
			TestPropertyValues.of("tierlimit.rules.per-user.rate=20/s", "tierlimit.rules.other.rate=1/s")
				.applyTo(context);
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(rule(context, "per-user").limits().standard().rate()).isEqualTo(Rate.parse("20/s"));
			assertThat(output).contains("The rules were reloaded. Added: [other], removed: [], changed: [per-user].");
		});
	}

	@Test
	void invalidRuleLeavesThePreviousRulesInForce(CapturedOutput output) {
		this.table.set("extra", "rate", "5/m");
		this.runner.run((context) -> {
			CompiledRules before = context.getBean(RulesInForce.class).current();
			this.table.set("extra", "rate", "5/x").set("per-user", "rate", "1/s").set("bad", "ratte", "1/s");
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.INVALID);
			assertThat(String.join(" ", result.problems())).contains("Rule 'extra'", "'5/x'",
					"tierlimit.rules.extra.rate (table, row 'extra')", "ratte");
			assertThat(context.getBean(RulesInForce.class).current()).isSameAs(before);
			assertThat(output).containsOnlyOnce("The rules are not valid, so the previous ones remain in force.");
			assertThat(context.getBean(RuleReloader.class).counts()).containsEntry(Outcome.INVALID, 2L)
				.containsEntry(Outcome.REPLACED, 0L);
			this.table.remove("bad");
			this.table.set("extra", "rate", "6/m");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(context.getBean(RuleReloader.class).last().problems()).isEmpty();
		});
	}

	@Test
	void ruleThatAnAnnotationNamesCannotBeRemoved() {
		this.table.set("named", "rate", "5/m").set("named", "applies-to", "methods");
		this.runner.withUserConfiguration(Naming.class).run((context) -> {
			this.table.remove("named");
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.INVALID);
			assertThat(result.problems()).singleElement()
				.asString()
				.contains("rule 'named' does not exist", "Named.call");
			assertThat(ids(context)).contains("named");
		});
	}

	@Test
	void sourceThatCannotBeReadKeepsWhatItHasReturnedBefore(CapturedOutput output) {
		this.table.set("extra", "rate", "5/m");
		this.runner.run((context) -> {
			this.table.failWith(new IOException("no connection"));
			TestPropertyValues.of("tierlimit.rules.per-user.rate=20/s").applyTo(context);
			assertThat(reload(context)).isEqualTo(Outcome.UNAVAILABLE);
			assertThat(reload(context)).isEqualTo(Outcome.UNAVAILABLE);
			assertThat(ids(context)).containsExactly("per-user", "extra");
			assertThat(rule(context, "per-user").limits().standard().rate()).isEqualTo(Rate.parse("20/s"));
			assertThat(output)
				.containsOnlyOnce("The rule source 'table' cannot be read: java.io.IOException: no connection");
			this.table.failWith(null);
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
		});
	}

	@Test
	void whatWasNotValidIsNotKept() {
		this.table.set("extra", "rate", "5/m");
		this.runner.run((context) -> {
			this.table.set("extra", "rate", "slow");
			assertThat(reload(context)).isEqualTo(Outcome.INVALID);
			this.table.failWith(new IOException("no connection"));
			TestPropertyValues.of("tierlimit.rules.per-user.rate=20/s").applyTo(context);
			assertThat(reload(context)).isEqualTo(Outcome.UNAVAILABLE);
			assertThat(rule(context, "extra").limits().standard().rate()).isEqualTo(Rate.parse("5/m"));
			assertThat(rule(context, "per-user").limits().standard().rate()).isEqualTo(Rate.parse("20/s"));
		});
	}

	@Test
	void messageOfAFailureIsOnlyInTheLog(CapturedOutput output) {
		this.runner.run((context) -> {
			this.table.failWith(new IOException("no connection to db.internal"));
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			assertThat(result.problems())
				.containsExactly("The rule source 'table' cannot be read (IOException). The log has the cause.");
			this.table.failWith(new IOException("no connection to db.internal, attempt 2"));
			context.getBean(RuleReloader.class).reload();
			assertThat(output).containsOnlyOnce("no connection to db.internal");
			this.table.failWith(null);
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
			assertThat(output).containsOnlyOnce("The rules of all sources can be read again.");
		});
	}

	@Test
	void unknownPropertyOutsideOfTheRulesDoesNotPreventAReload() {
		this.runner.run((context) -> {
			TestPropertyValues.of("tierlimit.unknown=1", "tierlimit.rules.per-user.rate=20/s").applyTo(context);
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			TestPropertyValues.of("tierlimit.rules.per-user.unknown=1").applyTo(context);
			assertThat(reload(context)).isEqualTo(Outcome.INVALID);
		});
	}

	@Test
	void listenerThatFailsDoesNotPreventAReload(CapturedOutput output) {
		this.runner.run((context) -> {
			List<CompiledRules> replaced = new ArrayList<>();
			context.getBean(RulesInForce.class).whenReplaced((rules) -> {
				throw new IllegalStateException("broken listener");
			});
			context.getBean(RulesInForce.class).whenReplaced(replaced::add);
			this.table.set("extra", "rate", "5/m");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(replaced).hasSize(1);
			assertThat(output).contains("The rules were replaced, but a listener failed", "broken listener");
		});
	}

	@Test
	void nothingHasChangedIfTheRulesCannotBeCompiled() {
		AtomicBoolean broken = new AtomicBoolean(true);
		KeyResolver tenants = new KeyResolver() {

			@Override
			public String resolve(Caller caller) {
				return "a";
			}

			@Override
			public boolean needsAuthentication() {
				if (broken.get()) {
					throw new IllegalStateException("no tenants");
				}
				return false;
			}

		};
		this.runner.withBean("tenant", KeyResolver.class, () -> tenants).run((context) -> {
			this.table.set("extra", "rate", "5/m").set("extra", "scope", "tenant");
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.INVALID);
			assertThat(result.problems()).singleElement().asString().contains("no tenants");
			assertThat(ids(context)).containsExactly("per-user");
			assertThat(context.getBean(ConfiguredRules.class).rules().rules()).hasSize(1);
			broken.set(false);
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(ids(context)).containsExactly("per-user", "extra");
		});
	}

	@Test
	void programIsNotLimitedByARuleThatIsDisabledOrRemoved() {
		this.table.set("extra", "rate", "1/h").set("off", "rate", "1/h").set("off", "enabled", "false");
		this.runner.run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			assertThat(limiter.tryAcquire(PermitRequest.of("off")).decisions()).isEmpty();
			assertThat(limiter.tryAcquire(PermitRequest.of("extra")).allowed()).isTrue();
			assertThat(limiter.tryAcquire(PermitRequest.of("extra")).allowed()).isFalse();
			this.table.remove("extra");
			this.table.set("per-user", "enabled", "false");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
			for (String inactive : List.of("extra", "off", "per-user")) {
				PermitRequest request = PermitRequest.of(inactive);
				assertThat(limiter.acquire(request).allowed()).isTrue();
				assertThat(limiter.peek(request).allowed()).isTrue();
				limiter.refund(request);
				limiter.lower(request, 0, Duration.ofSeconds(1));
				assertThat(limiter.reset(request)).isTrue();
				assertThat(limiter.resetAll(inactive)).isTrue();
			}
			assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(PermitRequest.of("never")))
				.withMessageStartingWith("Rule 'never' is not one of");
			this.table.set("extra", "rate", "1/h");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(limiter.tryAcquire(PermitRequest.of("extra")).decisions()).hasSize(1);
		});
	}

	@Test
	void sourceWithoutPlacesIsNamedByItsBean() {
		this.runner.withBean("flags", RuleSource.class, () -> () -> Map.of("more", Map.of("rate", "1/s")))
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).origin("more"))
				.isEqualTo("bean 'flags'"));
	}

	@Test
	void sourceThatCannotBeReadStopsStartup() {
		this.table.failWith(new IOException("no connection"));
		this.runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContainingAll("The rule source 'table' cannot be read", "no connection"));
	}

	@Test
	void invalidRuleOfASourceStopsStartup() {
		this.table.set("extra", "rate", "fast");
		this.runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContainingAll("'fast'", "table, row 'extra'"));
	}

	@Test
	void applicationMayStartWithoutTheRulesOfSources(CapturedOutput output) {
		this.table.set("extra", "rate", "fast");
		this.runner.withPropertyValues("tierlimit.reload.on-startup-failure=ignore").run((context) -> {
			assertThat(ids(context)).containsExactly("per-user");
			assertThat(output).contains("The application starts without rules of rule sources.", "'fast'");
			assertThat(context.getBean(RuleReloader.class).last().outcome()).isEqualTo(Outcome.INVALID);
			assertThat(context.getBean(RuleReloader.class).last().problems()).isNotEmpty();
			this.table.set("extra", "rate", "5/m");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(ids(context)).containsExactly("per-user", "extra");
		});
	}

	@Test
	void annotationMayNameARuleOfASourceThatFailsAtStartup() {
		this.table.failWith(new IOException("no connection"));
		this.runner.withUserConfiguration(Naming.class)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("The rule source 'table' cannot be read: java.io.IOException: no connection.")
				.hasMessageNotContaining("does not exist"));
		this.runner.withUserConfiguration(Naming.class)
			.withPropertyValues("tierlimit.reload.on-startup-failure=ignore")
			.run((context) -> {
				context.getBean(Named.class).call();
				context.getBean(Named.class).call();
				assertThat(context.getBean(RuleReloader.class).last().outcome()).isEqualTo(Outcome.UNAVAILABLE);
				this.table.failWith(null);
				this.table.set("named", "rate", "1/h").set("named", "applies-to", "methods");
				assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
				context.getBean(Named.class).call();
				assertThatExceptionOfType(RateLimitExceededException.class)
					.isThrownBy(() -> context.getBean(Named.class).call());
			});
	}

	@Test
	void otherSourcesAreInForceIfOneCannotBeReadAtStartup() {
		this.table.failWith(new IOException("no connection"));
		this.runner.withPropertyValues("tierlimit.reload.on-startup-failure=ignore")
			.withBean("flags", RuleSource.class, () -> () -> Map.of("more", Map.of("rate", "1/s")))
			.run((context) -> assertThat(ids(context)).containsExactly("per-user", "more"));
	}

	@Test
	void mistakeOfTheConfigurationStopsStartupEvenIfSourcesMayFail() {
		this.table.set("extra", "rate", "fast");
		this.runner
			.withPropertyValues("tierlimit.reload.on-startup-failure=ignore", "tierlimit.rules.per-user.rate=slow")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("'slow'")
				.hasMessageNotContaining("'fast'"));
	}

	@Test
	void placeholderInASourceIsNotResolved() {
		this.table.set("extra", "rate", "${secret}");
		this.runner.withPropertyValues("secret=5/m")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContainingAll("Rule 'extra': rate must not have a placeholder (was '${secret}')",
						"table, row 'extra'"));
	}

	private static Outcome reload(AssertableApplicationContext context) {
		return context.getBean(RuleReloader.class).reload().outcome();
	}

	private static List<String> ids(AssertableApplicationContext context) {
		return context.getBean(RulesInForce.class).current().all().stream().map((rule) -> rule.rule().id()).toList();
	}

	private static Rule rule(AssertableApplicationContext context, String id) {
		Supplier<CompiledRule> rule = () -> context.getBean(RulesInForce.class).current().rule(id);
		return Objects.requireNonNull(rule.get()).rule();
	}

	static class TwoSources {

		@Bean
		@Order(2)
		RuleSource second() {
			return new TestRuleSource("second").set("both", "rate", "9/s").set("both", "burst", "7");
		}

		@Bean
		@Order(1)
		RuleSource first() {
			return new TestRuleSource("first").set("both", "rate", "1/s");
		}

	}

	static class PrototypeSource {

		@Bean
		@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
		RuleSource prototype() {
			return new TestRuleSource("prototype").set("prototype", "rate", "9/s");
		}

	}

	static class NamedOrders {

		@RateLimited(name = "placeOrder", rate = "5/s")
		void place() {
		}

	}

	static class Annotated {

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	static class Orders {

		@RateLimited(rate = "5/s", burst = "4")
		void place() {
		}

	}

	static class Naming {

		@Bean
		Named named() {
			return new Named();
		}

	}

	static class Named {

		@RateLimited("named")
		void call() {
		}

	}

}
