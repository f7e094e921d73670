package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.HeaderVisibility;
import io.tierlimit.LimitDefinition;
import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RuleDefinition;
import io.tierlimit.RuleMode;
import io.tierlimit.ScheduleDefinition;
import io.tierlimit.autoconfigure.AnnotatedBean;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.OverloadSignal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * The configuration, annotations and code can define the same rules, and are checked in
 * the same way.
 */
class RuleWritingTests {

	private static final ScheduleDefinition SCHEDULE = new ScheduleDefinition(List.of("2026-11-27T00:00/.."),
			List.of("MON-FRI 08:00-18:00", "SAT 10:00-14:00"), "Europe/Berlin");

	private final ApplicationContextRunner runner = RuleReading.RUNNER;

	private final ApplicationContextRunner signals = this.runner.withBean("pool", OverloadSignal.class,
			() -> () -> false);

	@Test
	void ruleInCodeEqualsTheSameRuleInTheConfiguration() {
		Rule configured = rule(this.signals.withPropertyValues("tierlimit.rules.it.applies-to=code",
				"tierlimit.rules.it.scope=user,ip", "tierlimit.rules.it.condition=ip != null",
				"tierlimit.rules.it.algorithm=fixed-window", "tierlimit.rules.it.rate=10/d",
				"tierlimit.rules.it.burst=20", "tierlimit.rules.it.window.start=7h",
				"tierlimit.rules.it.key=header('X')", "tierlimit.rules.it.cost=2", "tierlimit.rules.it.headers=hidden",
				"tierlimit.rules.it.on-missing-key=deny", "tierlimit.rules.it.mode=shadow",
				"tierlimit.rules.it.max-reserved=5", "tierlimit.rules.it.max-wait=500ms",
				"tierlimit.rules.it.on-store-failure=deny", "tierlimit.rules.it.charge-on=401,5xx",
				"tierlimit.rules.it.reset-on=204", "tierlimit.rules.it.ban.after=20",
				"tierlimit.rules.it.ban.within=1m", "tierlimit.rules.it.ban.for=10m", "tierlimit.rules.it.ban.max=1d",
				"tierlimit.rules.it.enforce-share=12.5%", "tierlimit.rules.it.schedule.ranges=2026-11-27T00:00/..",
				"tierlimit.rules.it.schedule.weekly=MON-FRI 08:00-18:00,SAT 10:00-14:00",
				"tierlimit.rules.it.schedule.zone=Europe/Berlin", "tierlimit.rules.it.plans.pro.rate=9/d",
				"tierlimit.rules.it.candidate.algorithm=token-bucket", "tierlimit.rules.it.candidate.rate=5/s",
				"tierlimit.rules.it.candidate.burst=7", "tierlimit.rules.it.candidate.plans.pro.rate=8/d",
				"tierlimit.rules.it.adaptive.min-rate=1/d", "tierlimit.rules.it.adaptive.target-latency=200ms",
				"tierlimit.rules.it.adaptive.max-error-rate=5%", "tierlimit.rules.it.adaptive.signal=pool",
				"tierlimit.rules.it.adaptive.recovery=2m", "tierlimit.rules.it.adaptive.resource=shop",
				"tierlimit.rules.it.adaptive.priority=3"));
		assertThat(rule(defined(definition()))).isEqualTo(configured);
		assertThat(configured.limits().standard())
			.isEqualTo(new FixedWindow(Rate.parse("10/d"), 20, Duration.ofHours(7)));
	}

	@Test
	void propertiesOfARuleInCodeAreThePropertiesOfTheConfiguration() {
		String[] texts = definition().properties()
			.entrySet()
			.stream()
			.map((text) -> "tierlimit.rules.it." + text.getKey() + "=" + text.getValue())
			.toArray(String[]::new);
		assertThat(rule(this.signals.withPropertyValues(texts))).isEqualTo(rule(defined(definition())));
	}

	private ApplicationContextRunner defined(RuleDefinition definition) {
		return this.signals.withBean("first", RuleDefinition.class, () -> definition);
	}

	@Test
	void ruleInAnAnnotationEqualsTheSameRuleInTheConfiguration() {
		Rule configured = rule(this.runner.withPropertyValues("tierlimit.rules.it.applies-to=code",
				"tierlimit.rules.it.rate=10/m", "tierlimit.rules.it.burst=2m", "tierlimit.rules.it.scope=user,ip",
				"tierlimit.rules.it.cost=2", "tierlimit.rules.it.key=header('X')",
				"tierlimit.rules.it.condition=ip != null", "tierlimit.rules.it.max-wait=500ms"));
		assertThat(rule(this.runner.withUserConfiguration(AnnotatedBean.named("Written",
				"handle: name=it; rate=${no.such:10/m}; burst=2m; scope=user; scope=ip; key=header('X'); cost=2; condition=ip != null; maxWait=500ms"))))
			.isEqualTo(configured);
		assertThat(configured.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("10/m"), 20));
	}

	@Test
	void annotationSetsAnyProperty() {
		Rule configured = rule(this.runner.withPropertyValues("tierlimit.rules.it.applies-to=code",
				"tierlimit.rules.it.rate=10/s", "tierlimit.rules.it.algorithm=sliding-window",
				"tierlimit.rules.it.scope=user,endpoint", "tierlimit.rules.it.ban.after=5",
				"tierlimit.rules.it.ban.within=1m", "tierlimit.rules.it.ban.for=2m"));
		assertThat(rule(this.runner.withPropertyValues("algorithm=sliding-window")
			.withUserConfiguration(AnnotatedBean.named("AnyProperty",
					"call: name=it; rate=10/s; properties=algorithm=${algorithm}; properties=scope=user,endpoint; properties=ban.after = 5; properties=ban.within=1m; properties=ban.for=2m"))))
			.isEqualTo(configured);
		assertThat(configured.limits().standard()).isEqualTo(new SlidingWindow(Rate.parse("10/s")));
	}

	@Test
	void definitionReturnsTheTextsThatAreSet() {
		RuleDefinition definition = RuleDefinition.of("it")
			.appliesTo(AppliesTo.CODE)
			.scope("user", "a,b")
			.rate(10, Duration.of(1, ChronoUnit.MICROS))
			.burst(Duration.ofMinutes(5))
			.plan("Gold/EU", (plan) -> plan.rate(3, Duration.ofHours(1)))
			.ban(20, Duration.ofMinutes(1), Duration.ofMinutes(10), null)
			.adaptive((adaptive) -> adaptive.maxErrorRate(0.05))
			.property("charge-on", "401,5xx");
		assertThat(definition.id()).isEqualTo("it");
		assertThat(definition.properties()).containsExactly(entry("applies-to", "code"), entry("scope[0]", "user"),
				entry("scope[1]", "a,b"), entry("rate", "10/PT0.000001S"), entry("burst", "PT5M"),
				entry("plans[Gold/EU].rate", "3/PT1H"), entry("ban.after", "20"), entry("ban.within", "PT1M"),
				entry("ban.for", "PT10M"), entry("ban.max", ""), entry("adaptive.max-error-rate", "5%"),
				entry("charge-on", "401,5xx"));
	}

	@Test
	void definitionIsImmutable() {
		RuleDefinition definition = RuleDefinition.of("it").rate(1, Duration.ofSeconds(1));
		definition.rate(2, Duration.ofSeconds(1)).mode(RuleMode.SHADOW).plan("pro", LimitDefinition::unlimited);
		assertThat(definition.properties()).containsExactly(entry("rate", "1/PT1S"));
	}

	@Test
	void definitionHasPlansPathsAndMethods() {
		RuleDefinition definition = RuleDefinition.of("search")
			.paths("/a/{x:[0-9]{1,3}}", "/b")
			.excludePaths("/b/c")
			.methods("GET")
			.rate(10, Duration.ofSeconds(1))
			.burst(Duration.ofMinutes(5))
			.plan("Pro", (plan) -> plan.rate(100, Duration.ofSeconds(1)).burst(7))
			.plan("max", LimitDefinition::unlimited);
		this.runner.withBean("search", RuleDefinition.class, () -> definition).run((context) -> {
			Rule rule = rule(context.getBean(ActiveRules.class), "search");
			assertThat(rule.selection().appliesTo()).isEqualTo(AppliesTo.REQUESTS);
			assertThat(rule.selection().paths()).containsExactly("/a/{x:[0-9]{1,3}}", "/b");
			assertThat(rule.selection().excludePaths()).containsExactly("/b/c");
			assertThat(rule.selection().methods()).containsExactly("GET");
			assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(Rate.parse("10/s"), 3000));
			assertThat(rule.limits().plans())
				.containsEntry("Pro", new PlanLimit(new TokenBucket(Rate.parse("100/s"), 7)))
				.containsEntry("max", PlanLimit.UNLIMITED);
			assertThat(context.getBean(ConfiguredRules.class).origin("search")).isEqualTo("bean 'search'");
		});
	}

	@Test
	void definitionsExtendTheConfigurationAndAnnotationsMayNameThem() {
		this.runner.withPropertyValues("tierlimit.rules.other.rate=1/s")
			.withBean("first", RuleDefinition.class,
					() -> RuleDefinition.of("defined").rate(10, Duration.ofSeconds(1)).appliesTo(AppliesTo.CODE))
			.withUserConfiguration(AnnotatedBean.named("Naming", "handle: value=defined"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(ActiveRules.class).current().all()).extracting((rule) -> rule.rule().id())
					.contains("other", "defined");
			});
	}

	@Test
	void mistakesAreReportedTogetherWhereverTheyAre() {
		this.runner
			.withPropertyValues("tierlimit.rules.configured.rate=5", "tierlimit.rules.same-rule.rate=1/s",
					"tierlimit.rules.slow.rate=1/s", "tierlimit.rules.slow.algorithm=sliding-window",
					"tierlimit.rules.slow.max-reserved=many")
			.withBean("first", RuleDefinition.class,
					() -> RuleDefinition.of("defined").rate(5, Duration.ofSeconds(1)).cost(6))
			.withBean("second", RuleDefinition.class,
					() -> RuleDefinition.of("sameRule").rate(5, Duration.ofSeconds(1)))
			.withBean("third", RuleDefinition.class,
					() -> RuleDefinition.of("log")
						.rate(5, Duration.ofSeconds(1))
						.algorithm(Algorithm.SLIDING_LOG)
						.maxReserved(1))
			.withBean("fourth", RuleDefinition.class,
					() -> RuleDefinition.of("never")
						.rate(0, Duration.ofSeconds(1))
						.limit(LimitDefinition::unlimited)
						.plan("pro", (plan) -> plan.rate(1, Duration.ofSeconds(1)).burst(Duration.ofSeconds(-1))))
			.withUserConfiguration(AnnotatedBean.named("Unwritten", "pause(how): rate=1/s; maxWait=soon",
					"named: value=slow; maxWait=1s"))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> assertReported(ex.problems(),
						"Rule 'configured': rate must be permits per period|(was '5')",
						"Rule 'defined': cost 6 is above the capacity of 5|Lower cost in the RuleDefinition bean 'first', or raise the burst.",
						"Rule 'sameRule': the rule is also defined by the configuration. Set another id in the RuleDefinition bean 'second'.",
						"Rule 'log': max-reserved is not supported by sliding-log|remove max-reserved in the RuleDefinition bean 'third'.",
						"Rule 'never': rate must have 1 to 1000000000000 permits per period (was 0). Correct rate in the RuleDefinition bean 'fourth'.",
						"Rule 'never', plan 'pro': burst must be 1 to 1000000000000 permits, or a time above 0 and up to 3650 days|(was 'PT-1S'). Correct plans.pro.burst in the RuleDefinition bean 'fourth'.",
						"Rule 'never': only plans can be unlimited. Remove unlimited in the RuleDefinition bean 'fourth'.",
						"Rule 'Unwritten.pause': max-wait must be a time|(was 'soon')|Correct maxWait in ",
						"Rule 'slow': max-reserved must be a whole number (was 'many')|tierlimit.rules.slow.max-reserved (test)",
						"Unwritten.named: max-wait is not supported by sliding-window|remove maxWait in the annotation")));
	}

	@ParameterizedTest
	@MethodSource
	void mistakeInCodeFailsStartup(UnaryOperator<RuleDefinition> mistake, String problem) {
		RuleDefinition definition = mistake.apply(RuleDefinition.of("it").rate(5, Duration.ofSeconds(1)));
		defined(definition)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(problem));
	}

	static Stream<Arguments> mistakeInCodeFailsStartup() {
		return Stream.of(
				mistake((rule) -> rule.schedule(new ScheduleDefinition(List.of(), List.of(), null)),
						"Rule 'it': schedule has neither ranges nor weekly"),
				mistake((rule) -> rule.adaptive((adaptive) -> adaptive), "Rule 'it', adaptive: min-rate is not set"),
				mistake((rule) -> rule.candidate((candidate) -> candidate), "Rule 'it', candidate has no rate"),
				mistake((rule) -> rule.plan("pro", (plan) -> plan.rate(9, Duration.ofSeconds(1)))
					.candidate((candidate) -> candidate.plan("pro", (plan) -> plan)),
						"Rule 'it', candidate, plan 'pro' has no rate"),
				mistake((rule) -> rule.plan("pro", (plan) -> plan),
						"Rule 'it', plan 'pro' has no rate. Set plans.pro.rate in the RuleDefinition bean 'first' to permits per period"),
				mistake((rule) -> rule.plan("Max", (plan) -> plan.burst(3)), "Rule 'it', plan 'Max' has no rate."),
				mistake((rule) -> rule.plan("pro", (plan) -> plan.rate(20, Duration.ofMinutes(1)))
					.plan("PRO", LimitDefinition::unlimited),
						"Rule 'it', plan 'pro': unlimited cannot be combined with"),
				mistake((rule) -> rule.plan("", LimitDefinition::unlimited), "Rule 'it': a plan has no name"),
				mistake((rule) -> rule.burst(Duration.ofSeconds(Long.MAX_VALUE, 1)), "Rule 'it': burst must be"),
				mistake((rule) -> rule.property("bann.after", "5"),
						"Rule 'it': 'bann' is not a known property. Known properties are "),
				mistake((rule) -> rule.property("bann.after", "5"),
						"Correct or remove bann.after in the RuleDefinition bean 'first'."));
	}

	private static Arguments mistake(UnaryOperator<RuleDefinition> mistake, String problem) {
		return Arguments.of(mistake, problem);
	}

	@ParameterizedTest
	@ValueSource(strings = { "p]q.x", "p[q", "a].rate" })
	void planOfARuleInCodeHasAnyName(String plan) {
		this.runner
			.withBean("first", RuleDefinition.class,
					() -> RuleDefinition.of("it").rate(5, Duration.ofSeconds(1)).plan(plan, LimitDefinition::unlimited))
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules()).singleElement()
				.satisfies((rule) -> assertThat(rule.limits().plans()).containsOnlyKeys(plan)));
	}

	@Test
	void laterCallOfADefinitionOverridesTheEarlierOne() {
		RuleDefinition definition = RuleDefinition.of("it")
			.scope("user", "ip")
			.scope("ip")
			.plan("pro", (plan) -> plan.rate(2, Duration.ofSeconds(1)).burst(5))
			.plan("pro", (plan) -> plan.rate(3, Duration.ofSeconds(1)));
		assertThat(definition.scope("user").property("SCOPE", "ip").properties())
			.containsExactly(entry("plans[pro].rate", "3/PT1S"), entry("SCOPE", "ip"));
	}

	@Test
	void annotationMayNameARuleAndWaitForIt() {
		this.runner.withPropertyValues("tierlimit.rules.defined.rate=1/s", "tierlimit.rules.defined.max-reserved=3")
			.withUserConfiguration(AnnotatedBean.named("Waiting", "handle: value=defined; maxWait=500ms"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(ActiveRules.class).current().variants())
					.extracting((rule) -> rule.rule().options().find(ReservationOptions.class))
					.containsExactly(new ReservationOptions(3, Duration.ofMillis(500)));
			});
	}

	private static Rule rule(ApplicationContextRunner runner) {
		Rule[] found = new Rule[1];
		runner.run((context) -> found[0] = rule(context.getBean(ActiveRules.class), "it"));
		return found[0];
	}

	private static Rule rule(ActiveRules rules, String id) {
		return Objects.requireNonNull(rules.current().rule(id)).rule();
	}

	private static RuleDefinition definition() {
		return RuleDefinition.of("it")
			.appliesTo(AppliesTo.CODE)
			.scope("user", "ip")
			.condition("ip != null")
			.algorithm(Algorithm.FIXED_WINDOW)
			.rate(Rate.parse("10/d"))
			.burst(20)
			.windowStart(Duration.ofHours(7))
			.key("header('X')")
			.cost(2)
			.headers(HeaderVisibility.HIDDEN)
			.onMissingKey(MissingKeyPolicy.DENY)
			.mode(RuleMode.SHADOW)
			.maxReserved(5)
			.maxWait(Duration.ofMillis(500))
			.ban(20, Duration.ofMinutes(1), Duration.ofMinutes(10), Duration.ofDays(1))
			.enforceShare(0.125)
			.schedule(SCHEDULE)
			.plan("pro", (plan) -> plan.rate(9, Duration.ofDays(1)))
			.candidate((candidate) -> candidate.algorithm(Algorithm.TOKEN_BUCKET)
				.limit((limit) -> limit.rate(5, Duration.ofSeconds(1)).burst(7))
				.plan("pro", (plan) -> plan.rate(8, Duration.ofDays(1))))
			.adaptive((adaptive) -> adaptive.minRate(1, Duration.ofDays(1))
				.targetLatency(Duration.ofMillis(200))
				.maxErrorRate(0.05)
				.signal("pool")
				.recovery(Duration.ofMinutes(2))
				.resource("shop")
				.priority(3))
			.onStoreFailure(StoreFailurePolicy.DENY)
			.chargeOn("401", "5xx")
			.resetOn("204");
	}

}
