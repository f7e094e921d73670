package io.tierlimit.autoconfigure.rules;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.LimitDefinition;
import io.tierlimit.RateLimited;
import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.AnnotatedBean;
import io.tierlimit.autoconfigure.ReportedProblems;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.OverrideEditor.Edit;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Rate;
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
import static io.tierlimit.autoconfigure.rules.ContextRules.rule;
import static io.tierlimit.autoconfigure.rules.RuleReading.RUNNER;
import static io.tierlimit.autoconfigure.rules.RuleReading.problems;
import static io.tierlimit.autoconfigure.rules.RuleReading.read;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads rules with the algorithm concurrency from every source.
 */
class ConcurrencyReaderTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final RuleLimits TWO = new RuleLimits(Concurrency.of(2, HOUR));

	@Test
	void ruleRequiresOnlyALimit() {
		assertThat(read("algorithm=concurrency", "limit=2").limits()).isEqualTo(TWO);
	}

	@Test
	void limitsOfPlansDifferByTheirPermits() {
		Rule rule = read("algorithm=concurrency", "limit=2", "max-duration=10m", "retry-after-hint=5s",
				"plans.pro.limit=10", "plans.max.unlimited=true");
		assertThat(rule.limits())
			.isEqualTo(new RuleLimits(hinted(2), Map.of("pro", new PlanLimit(hinted(10)), "max", PlanLimit.UNLIMITED)));
		assertThat(read("algorithm=concurrency", "limit=1000", "max-duration=7d").limits().standard())
			.isEqualTo(Concurrency.of(1000, Duration.ofDays(7)));
	}

	@Test
	void ruleMayHaveOnlyTheLimitOfTheDefaultPlan() {
		RUNNER
			.withPropertyValues("tierlimit.plan.default=free", "tierlimit.rules.r.algorithm=concurrency",
					"tierlimit.rules.r.plans.free.limit=1", "tierlimit.rules.r.plans.pro.limit=5")
			.run((context) -> assertThat(rule(context, "r").limits()).isEqualTo(RuleLimits.ofPlans(Map.of("free",
					new PlanLimit(Concurrency.of(1, HOUR)), "pro", new PlanLimit(Concurrency.of(5, HOUR))), "free")));
	}

	@Test
	void codeSetsTheSameProperties() {
		RuleDefinition definition = RuleDefinition.of("r")
			.concurrency(2)
			.maxDuration(Duration.ofMinutes(10))
			.retryAfterHint(Duration.ofSeconds(5))
			.plan("pro", (plan) -> plan.limit(10))
			.plan("max", LimitDefinition::unlimited)
			.candidate((candidate) -> candidate.concurrency(1)
				.maxDuration(Duration.ofMinutes(1))
				.retryAfterHint(Duration.ofSeconds(1))
				.plan("pro", (plan) -> plan.limit(9)));
		Rule read = read("algorithm=concurrency", "limit=2", "max-duration=10m", "retry-after-hint=5s",
				"plans.pro.limit=10", "plans.max.unlimited=true", "candidate.limit=1", "candidate.max-duration=1m",
				"candidate.retry-after-hint=1s", "candidate.plans.pro.limit=9");
		RUNNER.withBean(RuleDefinition.class, () -> definition)
			.run((context) -> assertThat(rule(context, "r")).isEqualTo(read));
	}

	@Test
	void annotationNeedsALimitAndNoRate() {
		RUNNER
			.withUserConfiguration(AnnotatedBean.named("Limited",
					"export: name=exports; properties=algorithm=concurrency; properties=limit=2"))
			.run((context) -> assertThat(rule(context, "exports").limits()).isEqualTo(TWO));
		assertReported(
				ReportedProblems.of(RUNNER.withUserConfiguration(
						AnnotatedBean.named("Endless", "export: name=endless; properties=algorithm=concurrency"))),
				"Rule 'endless' has no limit. Set limit in @RateLimited on|to the number of permits that can be in use at the same time, such as 5.");
	}

	@Test
	void sourceReplacesTheLimitOfARuleAndOfItsPlans() {
		TestRuleSource table = new TestRuleSource("table").set("r", "limit", "3")
			.set("r", "plans.pro.unlimited", "true")
			.set("r", "plans.max.limit", "9");
		RUNNER.withBean(RuleSource.class, () -> table)
			.withPropertyValues("tierlimit.rules.r.algorithm=concurrency", "tierlimit.rules.r.limit=2",
					"tierlimit.rules.r.plans.pro.limit=5", "tierlimit.rules.r.plans.max.unlimited=true")
			.run((context) -> assertThat(rule(context, "r").limits()).isEqualTo(new RuleLimits(Concurrency.of(3, HOUR),
					Map.of("pro", PlanLimit.UNLIMITED, "max", new PlanLimit(Concurrency.of(9, HOUR))))));
	}

	@Test
	void candidateOfARateMayLimitConcurrencyAndTheReverse() {
		Rule rate = read("rate=10/s", "plans.pro.rate=20/s", "plans.max.unlimited=true",
				"candidate.algorithm=concurrency", "candidate.limit=2", "candidate.plans.pro.limit=4");
		assertThat(rate.derived().get(0).limits()).isEqualTo(new RuleLimits(Concurrency.of(2, HOUR),
				Map.of("pro", new PlanLimit(Concurrency.of(4, HOUR)), "max", PlanLimit.UNLIMITED)));
		Rule concurrency = read("algorithm=concurrency", "limit=2", "candidate.algorithm=token-bucket",
				"candidate.rate=5/s");
		assertThat(concurrency.derived().get(0).limits()).isEqualTo(new RuleLimits(new TokenBucket(Rate.parse("5/s"))));
		Rule plan = read("algorithm=concurrency", "limit=2", "max-duration=10m", "retry-after-hint=5s",
				"plans.pro.limit=10", "candidate.plans.pro.limit=5");
		assertThat(plan.derived().get(0).limits())
			.isEqualTo(new RuleLimits(hinted(2), Map.of("pro", new PlanLimit(hinted(5)))));
	}

	@Test
	void overrideReplacesTheLimitOfACaller() {
		TestOverrideStore table = new TestOverrideStore();
		withRules().withBean(RuleSource.class, () -> table)
			.withPropertyValues("tierlimit.overrides.acme.user=acme", "tierlimit.overrides.acme.rules=exports",
					"tierlimit.overrides.acme.limit=10")
			.run((context) -> {
				assertThat(override(context.getBean(ActiveRules.class), "acme")).isEqualTo(hinted(10));
				Edit edit = context.getBean(OverrideEditor.class)
					.set("ops", Map.of("user", "bob", "rules", "exports", "limit", " 7 "));
				assertThat(edit.problems()).isEmpty();
				assertThat(table.readOverrides().get("ops")).containsEntry("limit", "7");
				assertThat(override(context.getBean(ActiveRules.class), "ops")).isEqualTo(hinted(7));
			});
	}

	private static @Nullable Object override(ActiveRules rules, String id) {
		return Objects.requireNonNull(rules.current().override(id)).limits().get("exports");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					rules=exports rate=1/s               | Override 'o': rate is not supported by concurrency. Set limit instead, and remove tierlimit.overrides.o.rate (test).
					rules=exports limit=2 burst=1        | Override 'o': burst is not supported by concurrency. Remove tierlimit.overrides.o.burst (test).
					rules=exports limit=0                | Override 'o': limit must be 1 to 1000 permits in use (was '0'). Correct tierlimit.overrides.o.limit (test).
					rules=exports limit=many             | Override 'o': limit must be a whole number (was 'many'). Correct tierlimit.overrides.o.limit (test).
					rules=per-user limit=2               | Override 'o': limit is not supported by token-bucket. Set rate instead, and remove tierlimit.overrides.o.limit (test).
					limit=2                              | Override 'o': limit replaces the limit of rules, but rules is not set. Set tierlimit.overrides.o.rules to the ids of rules.
					rules=exports limit=2 unlimited=true | Override 'o': exactly one of rate, limit, unlimited and blocked must be set. Correct tierlimit.overrides.o (test).
					""")
	void mistakesOfOverridesAreReported(String properties, String problem) {
		assertReported(
				ReportedProblems.of(withRules().withPropertyValues(
						("user=a " + properties.strip()).replaceAll("(^| +)", "$1tierlimit.overrides.o.").split(" +"))),
				problem);
	}

	@Test
	void numbersOfOtherAlgorithmsAreReported() {
		assertReported(problems("a.algorithm=concurrency", "a.limit=2", "a.rate=1/s", "a.burst=2", "a.window.start=1s",
				"b.algorithm=concurrency", "b.rate=1/s", "c.rate=1/s", "c.limit=2", "c.max-duration=1m",
				"c.retry-after-hint=1s", "d.limit=2", "e.algorithm=leaky-bucket", "e.rate=1/s", "e.limit=2",
				"f.algorithm=concurrency", "f.limit=2", "f.plans.pro.rate=1/s", "g.rate=1/s", "g.plans.pro.limit=1",
				"h.algorithm=concurrency", "h.limit=1", "h.plans.pro.unlimited=true", "h.plans.pro.limit=1"),
				"Rule 'a': rate is not supported by concurrency. Set limit instead, and remove tierlimit.rules.a.rate (test).",
				"Rule 'a': burst is not supported by concurrency. Remove tierlimit.rules.a.burst (test).",
				"Rule 'a': window.start is not supported by concurrency. Set algorithm to fixed-window, or remove tierlimit.rules.a.window.start (test).",
				"Rule 'b': rate is not supported by concurrency. Set limit instead, and remove tierlimit.rules.b.rate (test).",
				"Rule 'c': limit is not supported by token-bucket. Set algorithm to concurrency, or remove tierlimit.rules.c.limit (test).",
				"Rule 'c': max-duration is not supported by token-bucket. Set algorithm to concurrency, or remove tierlimit.rules.c.max-duration (test).",
				"Rule 'c': retry-after-hint is not supported by token-bucket. Set algorithm to concurrency, or remove tierlimit.rules.c.retry-after-hint (test).",
				"Rule 'd': limit is not supported by token-bucket. Set algorithm to concurrency, or remove tierlimit.rules.d.limit (test).",
				"Rule 'e': limit is not supported by leaky-bucket. Set algorithm to concurrency, or remove tierlimit.rules.e.limit (test).",
				"Rule 'f', plan 'pro': rate is not supported by concurrency. Set limit instead, and remove tierlimit.rules.f.plans.pro.rate (test).",
				"Rule 'g', plan 'pro': limit is not supported by token-bucket. Set algorithm to concurrency, or remove tierlimit.rules.g.plans.pro.limit (test).",
				"Rule 'h', plan 'pro': unlimited cannot be combined with rate, burst or limit. Remove these, or tierlimit.rules.h.plans.pro.unlimited (test).");
	}

	/** Without a limit of the rule, its own numbers are not read. */
	@Test
	void numbersOfOtherAlgorithmsAreReportedNextToPlans() {
		assertReported(
				ReportedProblems.of(RUNNER.withPropertyValues("tierlimit.plan.default=free",
						"tierlimit.rules.a.algorithm=concurrency", "tierlimit.rules.a.plans.free.limit=1",
						"tierlimit.rules.a.rate=1/s", "tierlimit.rules.a.burst=2", "tierlimit.rules.b.limit=2",
						"tierlimit.rules.b.plans.free.rate=1/s")),
				"Rule 'a': rate is not supported by concurrency. Set limit instead, and remove tierlimit.rules.a.rate (test).",
				"Rule 'a': burst is not supported by concurrency. Remove tierlimit.rules.a.burst (test).",
				"Rule 'b': limit is not supported by token-bucket. Set algorithm to concurrency, or remove tierlimit.rules.b.limit (test).");
	}

	@Test
	void missingLimitIsReported() {
		assertReported(problems("a.algorithm=concurrency", "b.algorithm=concurrency", "b.limit=2", "b.plans.pro.limit=",
				"c.algorithm=concurrency", "c.plans.pro.limit=2", "d.rate=1/s", "d.candidate.algorithm=concurrency"),
				"Rule 'a' (test) has no limit. Set tierlimit.rules.a.limit to the number of permits that can be in use at the same time, such as 5.",
				"Rule 'b', plan 'pro' (test) has no limit. Set tierlimit.rules.b.plans.pro.limit (test) to the number",
				"Rule 'c' (test) has no limit, and there is no default plan. Set tierlimit.rules.c.limit to the number of permits that can be in use at the same time, such as 5, or tierlimit.plan.default to one of the plans [pro].",
				"Rule 'd', candidate (test) has no limit. Set tierlimit.rules.d.candidate.limit to the number");
	}

	@Test
	void valuesOutOfRangeAreReportedOnce() {
		assertReported(
				problems("a.algorithm=concurrency", "a.limit=0", "a.max-duration=999ms", "a.retry-after-hint=-1s",
						"a.plans.pro.limit=1001", "b.algorithm=concurrency", "b.limit=-1", "b.max-duration=169h",
						"b.retry-after-hint=3651d", "b.plans.pro.limit=5", "c.algorithm=concurrency", "c.limit=1.5",
						"d.algorithm=concurrency", "d.limit=2", "d.cost=3", "d.plans.pro.limit=1",
						"e.algorithm=concurrency", "e.limit=2", "e.max-duration=60", "f.algorithm=concurrency",
						"f.limit=2", "f.retry-after-hint=60"),
				"Rule 'e': max-duration must be a time such as 500ms, 10s or 5m (was '60'). Correct tierlimit.rules.e.max-duration (test).",
				"Rule 'f': retry-after-hint must be a time such as 500ms, 10s or 5m (was '60'). Correct tierlimit.rules.f.retry-after-hint (test).",
				"Rule 'a': limit must be 1 to 1000 permits in use (was '0'). Correct tierlimit.rules.a.limit (test).",
				"Rule 'a': max-duration must be from 1s to 7d (was '999ms'). Correct tierlimit.rules.a.max-duration (test).",
				"Rule 'a': retry-after-hint must be from 0s to 3650d (was '-1s'). Correct tierlimit.rules.a.retry-after-hint (test).",
				"Rule 'a', plan 'pro': limit must be 1 to 1000 permits in use (was '1001'). Correct tierlimit.rules.a.plans.pro.limit (test).",
				"Rule 'b': limit must be 1 to 1000 permits in use (was '-1'). Correct tierlimit.rules.b.limit (test).",
				"Rule 'b': max-duration must be from 1s to 7d (was '169h'). Correct tierlimit.rules.b.max-duration (test).",
				"Rule 'b': retry-after-hint must be from 0s to 3650d (was '3651d'). Correct tierlimit.rules.b.retry-after-hint (test).",
				"Rule 'c': limit must be a whole number (was '1.5'). Correct tierlimit.rules.c.limit (test).",
				"Rule 'd': cost 3 is above the capacity of 2, so the rule would reject every request. Lower tierlimit.rules.d.cost (test), or raise the limit.",
				"Rule 'd': cost 3 is above the capacity of 1 of plan 'pro'|Lower tierlimit.rules.d.cost (test), or raise the plan's limit.");
	}

	@Test
	void optionsThatConsumePermitsAreReported() {
		assertReported(
				problems(concurrent("a.charge-on=4xx", "b.reset-on=200", "c.charge-on=4xx", "c.reset-on=200",
						"d.scope=ip", "d.ban.after=5", "d.ban.within=1m", "d.ban.for=1h", "e.adaptive.min-rate=1/s",
						"e.adaptive.target-latency=100ms", "f.shards=2", "g.max-reserved=2")),
				"Rule 'a': charge-on is not supported by concurrency. Set another algorithm, or remove tierlimit.rules.a.charge-on (test).",
				"Rule 'b': reset-on is not supported by concurrency. Set another algorithm, or remove tierlimit.rules.b.reset-on (test).",
				"Rule 'c': charge-on is not supported by concurrency. Set another algorithm, or remove tierlimit.rules.c.charge-on (test).",
				"Rule 'd': ban is not supported by concurrency. Set another algorithm, or remove tierlimit.rules.d.ban",
				"Rule 'e': adaptive is not supported by concurrency. Set another algorithm, or remove tierlimit.rules.e.adaptive",
				"Rule 'f': shards are not supported by concurrency. Set algorithm to token-bucket or fixed-window, or remove tierlimit.rules.f.shards (test).",
				"Rule 'g': max-reserved is not supported by concurrency|or remove tierlimit.rules.g.max-reserved (test).");
	}

	/** The properties of rules with ten permits in use. */
	private static String[] concurrent(String... properties) {
		Stream<String> rules = Stream.of(properties).map((property) -> property.split("\\.", -1)[0]).distinct();
		return Stream
			.concat(rules.flatMap((rule) -> Stream.of(rule + ".algorithm=concurrency", rule + ".limit=10")),
					Stream.of(properties))
			.toArray(String[]::new);
	}

	@Test
	void optionsOfARateAreReportedForACandidate() {
		assertReported(
				problems("a.rate=10/s", "a.scope=ip", "a.ban.after=5", "a.ban.within=1m", "a.ban.for=1h",
						"a.candidate.algorithm=concurrency", "a.candidate.limit=2"),
				"Rule 'a', candidate: ban is not supported by concurrency. Set another algorithm, or remove tierlimit.rules.a.candidate.algorithm (test).");
	}

	@Test
	void candidateHasALimitForEachPlanIfOnlyOneOfThemHoldsPermits() {
		assertReported(
				problems("a.rate=10/s", "a.plans.pro.rate=20/s", "a.plans.max.unlimited=true",
						"a.candidate.algorithm=concurrency", "a.candidate.limit=2", "b.algorithm=concurrency",
						"b.limit=2", "b.plans.Pro.limit=3", "b.candidate.algorithm=token-bucket",
						"b.candidate.rate=1/s", "c.rate=10/s", "c.plans.pro.rate=20/s",
						"c.candidate.algorithm=concurrency", "c.candidate.limit=2", "c.candidate.plans.pro.limit=x"),
				"Rule 'a', candidate, plan 'pro': the plan has no limit, and the rate of the rule cannot replace it. Set tierlimit.rules.a.candidate.plans.pro.limit to the number of permits that can be in use at the same time, such as 5.",
				"Rule 'b', candidate, plan 'Pro': the plan has no rate, and the limit of the rule cannot replace it. Set tierlimit.rules.b.candidate.plans.pro.rate to permits per period, such as 10/s.",
				"Rule 'c': candidate.plans.pro.limit must be a whole number (was 'x')");
	}

	@Test
	void candidateOfADefaultPlanIsReportedInItsUnit() {
		ApplicationContextRunner runner = RUNNER.withPropertyValues("tierlimit.plan.default=free",
				"tierlimit.rules.a.algorithm=concurrency", "tierlimit.rules.a.plans.free.limit=1");
		assertReported(ReportedProblems.of(runner.withPropertyValues("tierlimit.rules.a.candidate.limit=2")),
				"Rule 'a', candidate: limit is set, but the rule has no limit of its own to compare. Set it for plans of the candidate, or remove tierlimit.rules.a.candidate.limit (test).",
				"Rule 'a', candidate, plan 'free': no plan is listed, so no limit is compared. Set tierlimit.rules.a.candidate.plans.free.limit to the number of permits");
		assertReported(
				ReportedProblems.of(runner.withPropertyValues("tierlimit.rules.a.candidate.plans.free.unlimited=true")),
				"Rule 'a', candidate, plan 'free': the default plan of the rule cannot be unlimited. Set a limit instead of tierlimit.rules.a.candidate.plans.free.unlimited (test).");
	}

	@ExtendWith(OutputCaptureExtension.class)
	@Test
	void limitAboveTheDefaultPlanIsAWarning(CapturedOutput output) {
		RUNNER
			.withPropertyValues("tierlimit.plan.default=free", "tierlimit.rules.a.algorithm=concurrency",
					"tierlimit.rules.a.limit=5", "tierlimit.rules.a.plans.free.limit=2")
			.run((context) -> assertThat(output).contains("Rule 'a': limit 5 is the limit of plans that the rule does "
					+ "not list, and exceeds 2 of the default plan 'free'"));
	}

	private static ApplicationContextRunner withRules() {
		return RUNNER.withPropertyValues("tierlimit.rules.exports.algorithm=concurrency",
				"tierlimit.rules.exports.limit=2", "tierlimit.rules.exports.max-duration=10m",
				"tierlimit.rules.exports.retry-after-hint=5s", "tierlimit.rules.exports.scope=user",
				"tierlimit.rules.per-user.rate=1/s", "tierlimit.rules.per-user.scope=user");
	}

	private static Concurrency hinted(long permits) {
		return Concurrency.of(permits, Duration.ofMinutes(10)).retryHint(Duration.ofSeconds(5));
	}

}
