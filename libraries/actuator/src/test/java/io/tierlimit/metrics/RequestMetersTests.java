package io.tierlimit.metrics;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.evaluation.TestUndecided;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestMeters}.
 */
class RequestMetersTests {

	private static final String OTHER = "other";

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final Map<String, CompiledRule> lateRules = new HashMap<>();

	private final RequestMeters meters = new RequestMeters(this.registry, this.lateRules::get);

	private final Rule search = TestRules.rule("search",
			new RuleLimits(TestRules.bucket(10), Map.of("gold", new PlanLimit(TestRules.bucket(100)))));

	private final Rule shadow = TestRules.rule("shadow", 10).options((options) -> options.mode(RuleMode.SHADOW));

	@Test
	void registeredRuleHasCountersOfItsModeAndPlans() {
		register(this.search.scope(Scope.of(Scope.USER, Scope.IP)), this.shadow,
				TestRules.rule("both", 10).options((options) -> options.with(new EnforcedShare(0.05))));
		assertThat(requests("search", OTHER, "allowed")).isZero();
		assertThat(requests("search", "gold", "rejected")).isZero();
		assertThat(findRequests("search", OTHER, "shadow-rejected")).isNull();
		assertThat(requests("shadow", OTHER, "shadow-rejected")).isZero();
		assertThat(findRequests("shadow", OTHER, "rejected")).isNull();
		assertThat(requests("both", OTHER, "rejected")).isZero();
		assertThat(requests("both", OTHER, "shadow-rejected")).isZero();
		assertThat(nearLimit("search", "gold")).isZero();
		assertThat(waits("search").count()).isZero();
		assertThat(this.registry.get("tierlimit.requests").tag("rule", "search").counters())
			.allSatisfy((counter) -> assertThat(counter.getId().getTag("scope")).isEqualTo("ip+user"));
	}

	@Test
	void decisionsCountByRulePlanAndOutcome() {
		Rule byPlan = TestRules.rule("by-plan", 10).scope(Scope.of(Scope.PLAN));
		Rule late = TestRules.rule("late", 10);
		Rule unknown = TestRules.rule("unknown", 10);
		this.lateRules.put("late", TestEvaluators.of(late).rule("late"));
		register(this.search, this.shadow, byPlan);
		publish(Outcome.REJECTED, TestDecision.allowed(byPlan, 9).onPlan("gold"), TestDecision.allowed(unknown, 9),
				TestDecision.rejected(this.search));
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 99).onPlan("gold"),
				TestDecision.rejected(this.shadow), TestDecision.allowed(late, 9));
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 9).onPlan("invented"));
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 9).byThisInstance());
		assertThat(waits("search").count()).isZero();
		publish(Outcome.ALLOWED, TestDecision.delayed(this.search, Duration.ofMillis(250)));
		this.meters.onVerdict(
				new Verdict(Outcome.UNAVAILABLE, List.of(), List.of(new TestUndecided("by-plan", null, false),
						new TestUndecided("unknown", null, false), new TestUndecided("search", "gold", true))),
				Caller.UNKNOWN);
		assertThat(this.registry.get("tierlimit.requests").counters()).filteredOn((counter) -> counter.count() > 0)
			.extracting((counter) -> String.join(" ", counter.getId().getTag("rule"), counter.getId().getTag("plan"),
					counter.getId().getTag("outcome"), String.valueOf(counter.count())))
			.containsExactlyInAnyOrder("by-plan gold allowed 1.0", "search other rejected 1.0",
					"search gold allowed 1.0", "shadow other shadow-rejected 1.0", "late other allowed 1.0",
					"search other allowed 1.0", "search other store-local 1.0", "search other delayed 1.0",
					"by-plan other store-allowed 1.0", "search gold store-denied 1.0");
		assertThat(this.registry.getMeters()).noneMatch((meter) -> "unknown".equals(meter.getId().getTag("rule")));
		assertThat(waits("search").count()).isOne();
		assertThat(waits("search").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(250);
	}

	@Test
	void outcomesOfBothModesCountWhenTheModeHasChanged() {
		Rule inShadow = this.search.options((options) -> options.mode(RuleMode.SHADOW));
		register(this.search);
		publish(Outcome.REJECTED, TestDecision.rejected(this.search));
		register(inShadow);
		assertThat(requests("search", OTHER, "shadow-rejected")).isZero();
		publish(Outcome.ALLOWED, TestDecision.rejected(inShadow));
		publish(Outcome.REJECTED, TestDecision.rejected(this.search));
		assertThat(requests("search", OTHER, "shadow-rejected")).isOne();
		assertThat(requests("search", OTHER, "rejected")).as("also of a request that began before").isEqualTo(2);
		register(this.search);
		publish(Outcome.ALLOWED, TestDecision.rejected(inShadow));
		assertThat(requests("search", OTHER, "shadow-rejected")).isEqualTo(2);
	}

	@Test
	void chargeThatLeavesLessThanAFifthOfTheCapacityIsNearTheLimit() {
		register(this.search, this.shadow);
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 2));
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 0).cost(0));
		publish(Outcome.REJECTED, TestDecision.allowed(this.search, 0));
		publish(Outcome.ALLOWED, TestDecision.rejected(this.shadow));
		assertThat(nearLimit("search", OTHER)).isZero();
		assertThat(nearLimit("shadow", OTHER)).isZero();
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 1));
		assertThat(nearLimit("search", OTHER)).isOne();
	}

	@Test
	void ruleThatIsFoundLateAndThenReplacedHasTheTagsOfTheCurrentOne() {
		this.lateRules.put("late", TestEvaluators.of(TestRules.rule("late", 10)).rule("late"));
		publish(Outcome.ALLOWED, TestDecision.allowed(TestRules.rule("late", 10), 9));
		register(this.search);
		this.lateRules.put("late",
				TestEvaluators.of(TestRules.rule("late", 10).scope(Scope.of(Scope.USER))).rule("late"));
		publish(Outcome.ALLOWED, TestDecision.allowed(TestRules.rule("late", 10), 9));
		assertThat(this.registry.get("tierlimit.requests")
			.tags("rule", "late", "scope", "user", "outcome", "allowed")
			.counter()
			.count()).isOne();
	}

	private void register(Rule... rules) {
		this.meters.replace(TestEvaluators.of(rules).rules());
	}

	private void publish(Outcome outcome, RuleDecision... decisions) {
		this.meters.onVerdict(new Verdict(outcome, List.of(decisions)), Caller.UNKNOWN);
	}

	private double requests(String rule, String plan, String outcome) {
		return Objects
			.requireNonNull(findRequests(rule, plan, outcome), () -> "counter of " + List.of(rule, plan, outcome))
			.count();
	}

	private @Nullable Counter findRequests(String rule, String plan, String outcome) {
		return this.registry.find("tierlimit.requests").tags("rule", rule, "plan", plan, "outcome", outcome).counter();
	}

	private double nearLimit(String rule, String plan) {
		return this.registry.get("tierlimit.requests.near.limit").tags("rule", rule, "plan", plan).counter().count();
	}

	private Timer waits(String rule) {
		return this.registry.get("tierlimit.wait").tag("rule", rule).timer();
	}

}
