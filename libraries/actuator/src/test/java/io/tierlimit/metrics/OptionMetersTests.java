package io.tierlimit.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tierlimit.PermitRequest;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.RateLimitTransaction;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.option.adaptive.AdaptiveRules;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.settlement.ActualCost;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OptionMeters}.
 */
@ExtendWith(OutputCaptureExtension.class)
class OptionMetersTests {

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	private static final Duration HOUR = Duration.ofHours(1);

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final Rule plain = TestRules.rule("plain", 10);

	private final Rule banning = TestRules.rule("banning", 1)
		.options((options) -> options.with(new Banning(BanPolicy.of(1, HOUR, HOUR, HOUR))));

	private final Rule compared = TestRules.rule("compared", 3)
		.options((options) -> options.with(new CandidateLimits(new RuleLimits(TestRules.bucket(1)))));

	private final Rule adaptive = AdaptiveRules.rule("adaptive", 100, 10).withErrors(0.05).build();

	private final TestEvaluator evaluator = TestEvaluators.of(this.plain, this.banning, this.compared, this.adaptive);

	private final RequestMeters meters = new RequestMeters(this.registry,
			(id) -> this.evaluator.activeRules().current().rule(id));

	@Test
	void onlyRulesWithTheOptionHaveItsMeters() {
		register();
		assertThat(meters()).containsExactlyInAnyOrder("tierlimit.adaptive.share adaptive", "tierlimit.bans banning",
				"tierlimit.candidate.requests compared same",
				"tierlimit.candidate.requests compared rejected-only-by-candidate",
				"tierlimit.candidate.requests compared rejected-only-by-rule");
	}

	@Test
	void metersShowWhatOptionsCount() {
		register();
		for (int i = 0; i < 4; i++) {
			evaluate("compared");
			evaluate("banning");
		}
		assertThat(counted("tierlimit.candidate.requests", "outcome", "same")).isEqualTo(2);
		assertThat(counted("tierlimit.candidate.requests", "outcome", "rejected-only-by-candidate")).isEqualTo(2);
		assertThat(counted("tierlimit.candidate.requests", "outcome", "rejected-only-by-rule")).isZero();
		assertThat(counted("tierlimit.bans", "rule", "banning")).isOne();
		assertThat(this.registry.get("tierlimit.adaptive.share").gauge().value()).isOne();
	}

	@Test
	void metersContinueUnderOtherRules(CapturedOutput output) {
		register();
		evaluate("compared");
		evaluate("banning");
		evaluate("banning");
		this.evaluator.replace(this.adaptive, this.banning.options((options) -> options.mode(RuleMode.SHADOW)),
				this.compared);
		register();
		evaluate("compared");
		assertThat(counted("tierlimit.candidate.requests", "outcome", "same")).isOne();
		assertThat(counted("tierlimit.candidate.requests", "outcome", "rejected-only-by-candidate")).isOne();
		assertThat(counted("tierlimit.bans", "rule", "banning")).isOne();
		assertThat(output.getAll()).doesNotContain("already registered");
	}

	@Test
	void summaryHasTheValuesOfAllRuleSets() {
		Rule settled = TestRules.rule("settled", 100)
			.cost("10")
			.options((options) -> options.with(new ActualCost("status / 10", null)));
		for (int status : new int[] { 50, 150 }) {
			this.evaluator.replace(settled.cost("10"), this.plain);
			register();
			RateLimitTransaction transaction = this.evaluator.begin(ALICE);
			transaction.evaluate(this.evaluator.matched("settled"), Stage.ALL);
			transaction.complete(RequestOutcome.answered(status));
		}
		DistributionSummary summary = this.registry.get("tierlimit.settled").tag("rule", "settled").summary();
		assertThat(summary.count()).isEqualTo(2);
		assertThat(summary.totalAmount()).isEqualTo(0.5 + 1.5);
		assertThat(summary.max()).isEqualTo(1.5);
	}

	@Test
	void ruleThatIsRemovedHasNoMeterUntilItReturns() {
		register();
		evaluate("banning");
		evaluate("banning");
		this.evaluator.replace(this.plain, this.compared.options((options) -> options.without(CandidateLimits.class)));
		register();
		assertThat(meters()).isEmpty();
		this.evaluator.replace(this.plain, this.adaptive);
		register();
		assertThat(meters()).containsExactly("tierlimit.adaptive.share adaptive");
		assertThat(this.registry.get("tierlimit.adaptive.share").gauge().value()).isOne();
		this.evaluator.replace(this.banning);
		register();
		assertThat(counted("tierlimit.bans", "rule", "banning")).as("a new counter begins at 0").isZero();
	}

	@Test
	void ruleOfABeanThatIsCreatedLateHasTheMetersOfItsOptions() {
		register();
		Rule late = TestRules.rule("late", 1)
			.options((options) -> options.with(new Banning(BanPolicy.of(1, HOUR, HOUR, HOUR))));
		this.evaluator.add(late, List.of());
		this.meters.onVerdict(new Verdict(Outcome.ALLOWED, List.of(TestDecision.allowed(late, 0))), ALICE);
		assertThat(counted("tierlimit.bans", "rule", "late")).isZero();
	}

	private void register() {
		this.meters.replace(this.evaluator.activeRules().current().withDerived());
	}

	private void evaluate(String rule) {
		this.evaluator.limiter().tryAcquire(PermitRequest.of(rule));
	}

	private double counted(String name, String tag, String value) {
		return this.registry.get(name).tag(tag, value).functionCounter().count();
	}

	/** The meters of options: the name, the rule and the outcome. */
	private List<String> meters() {
		return this.registry.getMeters()
			.stream()
			.map(Meter::getId)
			.filter((id) -> id.getTag("scope") == null && !id.getName().equals("tierlimit.wait"))
			.map((id) -> Stream.of(id.getName(), id.getTag("rule"), id.getTag("outcome"))
				.filter(Objects::nonNull)
				.collect(Collectors.joining(" ")))
			.toList();
	}

}
