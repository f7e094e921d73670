package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

import io.tierlimit.RuleDefinition;
import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.AnnotatedBean;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.spi.RuleSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.tierlimit.autoconfigure.rules.ContextRules.ids;
import static io.tierlimit.autoconfigure.rules.ContextRules.reload;
import static io.tierlimit.autoconfigure.rules.ContextRules.rule;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of rule sources.
 */
class RuleSourceTests {

	private final TestRuleSource table = new TestRuleSource("table");

	private final Class<?> orders = AnnotatedBean.named("Orders", "place: rate=5/s; burst=4");

	private final ApplicationContextRunner runner = withTable(this.table);

	/** An application with a rule of the configuration, and a source. */
	static ApplicationContextRunner withTable(RuleSource table) {
		return RuleReading.RUNNER
			.withPropertyValues("tierlimit.rules.per-user.rate=10/s", "tierlimit.rules.per-user.burst=50",
					"tierlimit.rules.per-user.scope=user", "tierlimit.rules.per-user.plans.pro.rate=100/s")
			.withBean("table", RuleSource.class, () -> table);
	}

	@Test
	void sourceAddsARuleAfterTheRulesOfTheConfiguration() {
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
		this.runner.withUserConfiguration(AnnotatedBean.named("NamedOrders", "place: name=placeOrder; rate=5/s"))
			.run((context) -> {
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
	@CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
			a]b      ; rate            ; 1/s       ; Rule 'a]b': the id of a rule must have
			""       ; rate            ; 1/s       ; Rule '': the id of a rule must have
			" "      ; rate            ; 1/s       ; Rule ' ': the id of a rule must have
			a b      ; rate            ; 1/s       ; Rule 'a b': the id of a rule must have
			..       ; rate            ; 1/s       ; Rule '..': the id of a rule must have
			-        ; rate            ; 1/s       ; Rule '-': the id of a rule must have
			[x]      ; rate            ; 1/s       ; Rule '[x]': the id of a rule must have
			per-user ; .               ; 1/s       ; Rule 'per-user': '.' is not the name of a property
			per-user ; ""              ; 1/s       ; Rule 'per-user': '' is not the name of a property
			per-user ; [x              ; 1/s       ; Rule 'per-user': '[x' is not the name of a property
			per-user ; rate.           ; 1/s       ; Rule 'per-user': 'rate.' is not the name of a property
			per-user ; plans..rate     ; 1/s       ; Rule 'per-user': 'plans..rate' is not the name of a property
			per-user ; plans[].rate    ; 1/s       ; Rule 'per-user': 'plans[].rate' is not the name of a property
			per-user ; ra te           ; 1/s       ; Rule 'per-user': 'ra te' is not the name of a property
			per-user ; scope           ; ""        ; Rule 'per-user': scope is empty
			per-user ; key             ; ""        ; Rule 'per-user': key is empty
			per-user ; paths           ; ""        ; Rule 'per-user': paths is empty
			per-user ; methods         ; ""        ; Rule 'per-user': methods is empty
			per-user ; condition       ; ""        ; Rule 'per-user': condition is empty
			per-user ; max-wait        ; 5         ; max-wait must be a time such as 500ms, 10s or 5m (was '5')
			per-user ; rat             ; 1         ; 'rat' is not a known property
			per-user ; ban.withn       ; 1         ; 'withn' is not a known property
			per-user ; plans.pro.burts ; 1         ; 'burts' is not a known property
			per-user ; candidate.rat   ; 1         ; 'rat' is not a known property
			per-user ; adaptive.min    ; 1         ; 'min' is not a known property
			per-user ; scopes[0]       ; 1         ; 'scopes' is not a known property
			per-user ; rate            ; fast      ; 'fast'
			per-user ; rate            ; ${secret} ; Rule 'per-user': rate must not have a placeholder (was '${secret}')
			""")
	void mistakeOfASourceFailsStartup(String id, String property, String value, String problem) {
		this.table.set(id, property, value);
		this.runner.withPropertyValues("secret=5/m")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContainingAll(problem, "table, row '" + id + "'"));
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
	void sourceRollsARuleOut() {
		this.table.set("per-user", "enforce-share", "0.5%").set("per-user", "schedule.weekly", "SAT 10:00-12:00");
		this.runner
			.withPropertyValues("tierlimit.rules.per-user.enforce-share=20%",
					"tierlimit.rules.per-user.schedule.ranges=2026-11-27T00:00/..",
					"tierlimit.rules.per-user.schedule.weekly=MON 10:00-12:00",
					"tierlimit.rules.per-user.schedule.zone=Europe/Berlin")
			.run((context) -> {
				RuleOptions options = rule(context, "per-user").options();
				assertThat(options.find(EnforcedShare.class)).isEqualTo(new EnforcedShare(0.005));
				assertThat(options.find(Schedule.class)).hasToString(
						"Schedule[ranges=[2026-11-26T23:00:00Z/..], weekly=[SAT 10:00-12:00], zone=Europe/Berlin]");
				this.table.set("per-user", "candidate.rate", "7/s");
				context.getBean(RuleReloader.class).reload();
				assertThat(rule(context, "per-user").options().find(CandidateLimits.class))
					.extracting((candidate) -> candidate.limits().standard())
					.isEqualTo(new TokenBucket(Rate.parse("7/s")));
				this.table.set("per-user", "schedule.zone", "Mars");
				ReloadResult invalid = context.getBean(RuleReloader.class).reload();
				assertThat(invalid.problems()).singleElement()
					.asString()
					.contains("schedule.zone must be a time zone", "(was 'Mars')", "table, row 'per-user'");
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
		this.runner.withUserConfiguration(this.orders)
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
		this.runner.withUserConfiguration(this.orders).run((context) -> {
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
		this.table.set("both", "rate", "9/s").set("both", "burst", "7");
		this.runner
			.withBean("first", RuleSource.class, () -> new TestRuleSource("first").set("both", "rate", "1/s"),
					(bean) -> bean.setAttribute(AbstractBeanDefinition.ORDER_ATTRIBUTE, 1))
			.run((context) -> assertThat(rule(context, "both").limits().standard())
				.isEqualTo(new TokenBucket(Rate.parse("1/s"), 7)));
	}

	@Test
	void sourceWithoutPlacesIsNamedByItsBeanWhichMayBeAPrototype() {
		this.runner
			.withBean("flags", RuleSource.class, () -> () -> Map.of("more", Map.of("rate", "1/s")),
					(bean) -> bean.setScope(ConfigurableBeanFactory.SCOPE_PROTOTYPE))
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).origin("more"))
				.isEqualTo("bean 'flags'"));
	}

	@Test
	void sourceThatCannotBeReadFailsStartupUnlessTheFailureIsIgnored() {
		this.table.failWith(new IOException("no connection"));
		this.runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessageContainingAll("The rule source 'table' cannot be read", "no connection"));
		this.runner.withPropertyValues("tierlimit.reload.on-startup-failure=ignore")
			.withBean("flags", RuleSource.class, () -> () -> Map.of("more", Map.of("rate", "1/s")))
			.run((context) -> assertThat(ids(context)).containsExactly("per-user", "more"));
	}

	@Test
	void mistakeOfTheConfigurationFailsStartupEvenIfSourcesMayFail() {
		this.table.set("extra", "rate", "fast");
		this.runner
			.withPropertyValues("tierlimit.reload.on-startup-failure=ignore", "tierlimit.rules.per-user.rate=slow")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("'slow'")
				.hasMessageNotContaining("'fast'"));
	}

}
