package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.LimitDefinition;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.AnnotatedBean;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static io.tierlimit.autoconfigure.rules.RuleReading.allProblems;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules that leave out their own rate, because they list the default plan.
 */
@ExtendWith(OutputCaptureExtension.class)
class DefaultPlanTests {

	private static final String DEFAULT = "tierlimit.plan.default=free";

	private final TestRuleSource table = new TestRuleSource("table");

	private final ApplicationContextRunner runner = RuleReading.RUNNER.withPropertyValues(DEFAULT);

	@Test
	void ruleHasTheLimitOfTheDefaultPlan() {
		assertThat(limits("plans.free.rate=1/m", "plans.free.burst=5", "plans.pro.rate=100/m"))
			.isEqualTo(RuleLimits.ofPlans(Map.of("free", new PlanLimit(new TokenBucket(Rate.parse("1/m"), 5)), "pro",
					new PlanLimit(new TokenBucket(Rate.parse("100/m")))), "free"));
		assertThat(limits("algorithm=fixed-window", "window.start=1s", "plans.free.rate=1/m").standard())
			.isEqualTo(new FixedWindow(Rate.parse("1/m"), 1, Duration.ofSeconds(1)));
		assertThat(limits("rate=1/s", "plans.free.rate=2/s").defaultPlan()).as("a limit of its own").isNull();
		assertThat(limits("rate=1/s").defaultPlan()).isNull();
	}

	@Test
	void ruleWithoutRateMustListTheDefaultPlanWithALimit() {
		assertReported(
				problems("a.plans.pro.rate=1/s", "b.plans.free.unlimited=true", "c.plans.free.rate=fast",
						"d.plans.free.rate=1/s", "d.burst=5", "e.scope=ip", "f.plans.Free.rate=1/s", "g.rate=",
						"g.plans.free.rate=1/s", "h.rate= ", "h.plans.free.rate=1/s"),
				"Rule 'a' (test) has no rate, and does not list the default plan 'free'. The plans of the rule are [pro]."
						+ "|Set tierlimit.rules.a.rate to permits per period, such as 10/s, or list the default plan.",
				"Rule 'b' (test) has no rate, but the default plan 'free' is unlimited"
						+ "|Set tierlimit.rules.b.rate to permits per period, such as 10/s.",
				"Rule 'c', plan 'free': rate must be permits per period|(was 'fast')",
				"Rule 'd': burst without rate has no effect. Set rate too, or remove tierlimit.rules.d.burst (test).",
				"Rule 'e' (test) has no rate. Set tierlimit.rules.e.rate to permits per period, such as 10/s.",
				"Rule 'f' (test) has no rate, and does not list the default plan 'free'|[Free]",
				"Rule 'g' (test) has no rate. Set tierlimit.rules.g.rate (test) to permits per period, such as 10/s.",
				"Rule 'h' (test) has no rate. Set tierlimit.rules.h.rate (test) to permits per period, such as 10/s.");
		assertReported(allProblems("tierlimit.rules.a.plans.pro.rate=1/s"),
				"Rule 'a' (test) has no rate, and there is no default plan."
						+ "|Set tierlimit.rules.a.rate to permits per period, such as 10/s, or tierlimit.plan.default to "
						+ "one of the plans [pro].");
	}

	@Test
	void optionsAreCheckedWithTheLimitOfTheDefaultPlan() {
		assertReported(problems("a.plans.free.rate=1/s", "a.cost=2", "b.plans.free.rate=1/s", "b.adaptive.min-rate=1/s",
				"b.adaptive.max-error-rate=5%", "c.plans.free.rate=1/s", "c.algorithm=sliding-log", "c.max-wait=1s"),
				"Rule 'a': cost 2 is above the capacity of 1 of plan 'free'",
				"Rule 'b', adaptive: min-rate must be lower than the rate of the default plan 'free', 1/s (was '1/s')",
				"Rule 'c': max-wait is not supported by sliding-log");
	}

	@Test
	void candidateHasPlansOnly() {
		RuleLimits candidate = candidateOf("plans.free.rate=2/s", "plans.pro.rate=9/s",
				"candidate.plans.free.rate=1/s");
		assertThat(candidate.defaultPlan()).isEqualTo("free");
		assertThat(candidate.of("gold")).isEqualTo(new TokenBucket(Rate.parse("1/s")));
		assertThat(candidate.of("pro")).isEqualTo(new TokenBucket(Rate.parse("9/s")));
		assertThat(
				candidateOf("plans.free.rate=2/s", "candidate.algorithm=sliding-log", "candidate.plans.free.rate=1/s")
					.standard())
			.isEqualTo(new SlidingLog(Rate.parse("1/s")));
	}

	@Test
	void candidateWithALimitOfItsOwnIsAMistake() {
		assertReported(
				problems("a.plans.free.rate=1/s", "a.candidate.rate=2/s", "a.candidate.burst=3",
						"a.candidate.plans.free.rate=2/s", "b.plans.free.rate=1/s", "b.candidate.algorithm=sliding-log",
						"c.plans.free.rate=1/s", "c.candidate.plans.free.unlimited=true"),
				"Rule 'a', candidate: rate is set, but the rule has no rate of its own to compare."
						+ "|or remove tierlimit.rules.a.candidate.rate (test).",
				"Rule 'a', candidate: burst is set, but the rule has no rate of its own to compare."
						+ "|or remove tierlimit.rules.a.candidate.burst (test).",
				"Rule 'b', candidate, plan 'free': no plan is listed, so no limit is compared."
						+ "|Set tierlimit.rules.b.candidate.plans.free.rate to permits per period",
				"Rule 'c', candidate, plan 'free': the default plan of the rule cannot be unlimited."
						+ "|tierlimit.rules.c.candidate.plans.free.unlimited (test)");
	}

	@Test
	void rulesOfCodeMayLeaveOutTheRate() {
		this.runner.withPropertyValues("tierlimit.rules.unused.rate=1/s")
			.withBean(RuleDefinition.class,
					() -> RuleDefinition.of("defined")
						.scope("user")
						.plan("free", (plan) -> plan.rate(Rate.parse("1/d")))
						.plan("pro", LimitDefinition::unlimited))
			.withUserConfiguration(
					AnnotatedBean.named("ByPlan", "call: name=annotated; scope=user; properties=plans.free.rate=1/d"))
			.run((context) -> {
				assertThat(ContextRules.rule(context, "annotated").limits().defaultPlan()).isEqualTo("free");
				RateLimiter limiter = context.getBean(RateLimiter.class);
				PermitRequest request = PermitRequest.of("defined").user("alice");
				assertThat(limiter.tryAcquire(request.plan("gold")).allowed()).isTrue();
				assertThat(limiter.tryAcquire(request.plan("free")).allowed()).isFalse();
				assertThat(limiter.tryAcquire(request.plan("pro")).allowed()).isTrue();
			});
	}

	@Test
	void limitThatDoesNotExceedTheLimitOfTheDefaultPlanIsAccepted() {
		this.runner
			.withPropertyValues("tierlimit.rules.b.rate=1/m", "tierlimit.rules.b.plans.free.rate=1/m",
					"tierlimit.rules.c.rate=10/m", "tierlimit.rules.c.plans.pro.rate=1/m",
					"tierlimit.rules.d.rate=10/m", "tierlimit.rules.d.plans.free.unlimited=true",
					"tierlimit.rules.e.rate=10/s", "tierlimit.rules.e.burst=20",
					"tierlimit.rules.e.plans.free.rate=10/s", "tierlimit.rules.e.plans.free.burst=20")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).isEmpty());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					10/s | 100000 | 10/s  | 10 | capacity 100000 | exceeds 10 of      | Remove tierlimit.rules.a.rate (test) and burst, | or lower them
					1/s  | 20     | 10/s  | 10 | capacity 20     | exceeds 10 of      | and burst,                                      | or lower them
					10/m |        | 1/m   |    | rate 10/m is the limit of plans that the rule does not list, and | exceeds 1/m of | Remove tierlimit.rules.a.rate (test), so that these plans have the limit of the default plan | or lower it
					20/h |        | 1/m   |    | capacity 20     | exceeds 1 of       | Remove tierlimit.rules.a.rate (test), so        | or lower it
					20/s | 30     | 10/s  | 20 | rate 20/s with capacity 30 | exceeds 10/s with capacity 20 of | and burst,         | or lower them
					20/s | 5      | 10/s  | 20 | rate 20/s is    | exceeds 10/s of    | and burst,                                      | or lower them
					""")
	void limitAboveTheLimitOfTheDefaultPlanIsAWarning(String rate, @Nullable String burst, String planRate,
			@Nullable String planBurst, String own, String exceeded, String fix, String end) {
		this.runner
			.withPropertyValues("tierlimit.rules.a.rate=" + rate, "tierlimit.rules.a.plans.free.rate=" + planRate,
					"tierlimit.rules.a.burst=" + Objects.requireNonNullElse(burst, ""),
					"tierlimit.rules.a.plans.free.burst=" + Objects.requireNonNullElse(planBurst, ""))
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).warnings()).singleElement()
				.asString()
				.contains("Rule 'a': " + own,
						exceeded + " the default plan 'free', so a misspelled name of a plan gives", fix, end + "."));
	}

	@Test
	void reloadChecksTheRulesAgain(CapturedOutput output) {
		this.table.set("a", "plans.free.rate", "1/s");
		this.runner.withBean("table", RuleSource.class, () -> this.table).run((context) -> {
			this.table.remove("a");
			this.table.set("a", "plans.basic.rate", "1/s");
			assertThat(ContextRules.reload(context)).isEqualTo(Outcome.INVALID);
			assertThat(context.getBean(RuleReloader.class).last().problems()).singleElement()
				.asString()
				.contains("Rule 'a' (table, row 'a') has no rate, and does not list the default plan 'free'");
			assertThat(ContextRules.rule(context, "a").limits().defaultPlan()).as("the previous rule")
				.isEqualTo("free");
			this.table.set("a", "plans.free.rate", "1/s").set("a", "rate", "2/s");
			assertThat(ContextRules.reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(ContextRules.reload(context)).isEqualTo(Outcome.UNCHANGED);
			assertThat(output).containsOnlyOnce("so a misspelled name of a plan gives more permits");
		});
	}

	private static String[] withDefault(String prefix, String... properties) {
		String[] all = new String[properties.length + 1];
		all[0] = DEFAULT;
		for (int i = 0; i < properties.length; i++) {
			all[i + 1] = "tierlimit.rules." + prefix + properties[i];
		}
		return all;
	}

	private static Rule rule(String... properties) {
		return RuleReading.rules(withDefault("r.", properties)).get(0);
	}

	private static RuleLimits limits(String... properties) {
		return rule(properties).limits();
	}

	private static RuleLimits candidateOf(String... properties) {
		return Objects.requireNonNull(rule(properties).derived().get(0)).limits();
	}

	private static List<String> problems(String... rules) {
		return allProblems(withDefault("", rules));
	}

}
