package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import io.tierlimit.RuleDefinition;
import io.tierlimit.autoconfigure.AnnotatedBean;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.limit.Rate;
import io.tierlimit.option.settlement.ActualCost;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static io.tierlimit.autoconfigure.rules.ContextRules.rule;
import static io.tierlimit.autoconfigure.rules.RuleReading.RUNNER;
import static io.tierlimit.autoconfigure.rules.RuleReading.problems;
import static io.tierlimit.autoconfigure.rules.RuleReading.read;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads actual costs from every source of rules.
 */
class ActualCostReaderTests {

	private static final ActualCost METERED = new ActualCost("metered", 50L);

	@Test
	void actualCostIsRead() {
		assertThat(actualCost(read("rate=10/s"))).isNull();
		assertThat(actualCost(read("rate=10/s", "actual-cost=", "max-debt="))).isNull();
		assertThat(actualCost(read("rate=10/s", "actual-cost=status / 100")))
			.isEqualTo(new ActualCost("status / 100", null));
		assertThat(actualCost(read("rate=10/s", "algorithm=leaky-bucket", "actual-cost=metered", "max-debt=0")))
			.isEqualTo(new ActualCost("metered", 0L));
		assertThat(actualCost(read("rate=10/s", "algorithm=fixed-window", "plans.pro.rate=20/s", "actual-cost=metered",
				"max-debt=1000000000000")))
			.isEqualTo(new ActualCost("metered", Rate.MAX_PERMITS));
	}

	@Test
	void candidateHasTheActualCostOfItsRule() {
		Rule rule = read("rate=10/s", "actual-cost=metered", "max-debt=50", "candidate.rate=5/s");
		assertThat(actualCost(rule.derived().get(0))).isEqualTo(METERED);
	}

	@Test
	void annotationAndCodeSetTheSameProperties() {
		RUNNER
			.withUserConfiguration(AnnotatedBean.named("Completions",
					"complete: name=annotation; rate=10/s; properties=actual-cost=metered; properties=max-debt=50"))
			.withBean(RuleDefinition.class,
					() -> RuleDefinition.of("code").rate(Rate.parse("10/s")).actualCost("metered").maxDebt(50))
			.run((context) -> {
				assertThat(actualCost(rule(context, "code"))).isEqualTo(METERED);
				assertThat(actualCost(rule(context, "annotation"))).isEqualTo(METERED);
			});
	}

	@Test
	void sourceReplacesTheActualCostOfARule() {
		TestRuleSource table = new TestRuleSource("table").set("r", "actual-cost", "metered")
			.set("r", "max-debt", "50");
		RUNNER.withBean(RuleSource.class, () -> table)
			.withPropertyValues("tierlimit.rules.r.rate=10/s", "tierlimit.rules.r.actual-cost=status")
			.run((context) -> assertThat(actualCost(rule(context, "r"))).isEqualTo(METERED));
	}

	/** An override replaces the limit, and keeps how costs are settled. */
	@Test
	void overrideHasNoActualCost() {
		RUNNER
			.withPropertyValues("tierlimit.rules.r.rate=10/s", "tierlimit.rules.r.scope=user",
					"tierlimit.rules.r.actual-cost=metered")
			.run((context) -> {
				OverrideEditor editor = context.getBean(OverrideEditor.class);
				assertThat(editor.set("a", Map.of("user", "ada", "rules", "r", "rate", "20/s")).problems()).isEmpty();
				assertThat(editor.set("b", Map.of("user", "bob", "rules", "r", "rate", "20/s", "max-debt", "5"))
					.problems()).singleElement().asString().contains("'max-debt' is not a known property");
			});
	}

	@Test
	void algorithmsWithoutDebtAreReported() {
		String remedy = ". Set another algorithm, or remove tierlimit.rules.";
		assertReported(
				problems("a.rate=10/s", "a.algorithm=sliding-window", "a.actual-cost=metered", "b.rate=10/s",
						"b.algorithm=sliding-log", "b.actual-cost=metered", "c.algorithm=concurrency", "c.limit=2",
						"c.actual-cost=metered", "d.rate=10/s", "d.actual-cost=metered",
						"d.candidate.algorithm=sliding-log", "d.candidate.rate=1/s"),
				"Rule 'a': actual-cost is not supported by sliding-window" + remedy + "a.actual-cost (test).",
				"Rule 'b': actual-cost is not supported by sliding-log" + remedy + "b.actual-cost (test).",
				"Rule 'c': actual-cost is not supported by concurrency" + remedy + "c.actual-cost (test).",
				"Rule 'd', candidate: actual-cost is not supported by sliding-log" + remedy
						+ "d.candidate.algorithm (test).");
	}

	@Test
	void mistakesAreReportedTogether() {
		assertReported(
				problems("a.rate=1/s", "a.max-debt=5", "b.rate=1/s", "b.actual-cost=5", "c.rate=1/s",
						"c.actual-cost=state", "d.rate=1/s", "d.actual-cost=status == 200", "e.rate=1/s",
						"e.actual-cost=metered", "e.max-debt=-1", "f.rate=1/s", "f.actual-cost=metered",
						"f.max-debt=1000000000001", "g.rate=1/s", "g.actual-cost=metered", "g.max-debt=many",
						"h.rate=1/s", "h.cost=metered", "i.rate=1/s", "i.actual-cost=responseHeader(method)"),
				"Rule 'a': max-debt requires actual-cost. Set actual-cost, or remove tierlimit.rules.a.max-debt (test).",
				"Rule 'b': actual-cost '5' is a constant. Set it as cost, and remove tierlimit.rules.b.actual-cost (test).",
				"Rule 'c': A request has no fact 'state'. The facts are [|metered]; for others, report the cost from code, with RateLimiter.estimatedCost|tierlimit.rules.c.actual-cost (test)",
				"Rule 'd': '(status == 200)' is a java.lang.Boolean, but a cost must be a whole number|tierlimit.rules.d.actual-cost (test)",
				"Rule 'e': max-debt must be from 0 to 1000000000000 permits (was '-1'). Correct tierlimit.rules.e.max-debt (test).",
				"Rule 'f': max-debt must be from 0 to 1000000000000 permits (was '1000000000001'). Correct tierlimit.rules.f.max-debt (test).",
				"Rule 'g': max-debt must be a whole number|(was 'many')|tierlimit.rules.g.max-debt (test)",
				"Rule 'h': A caller has no fact 'metered'|tierlimit.rules.h.cost (test)",
				"Rule 'i': 'responseHeader(method)'|because its name is not a constant|tierlimit.rules.i.actual-cost (test)");
	}

	private static @Nullable ActualCost actualCost(Rule rule) {
		return rule.options().find(ActualCost.class);
	}

}
