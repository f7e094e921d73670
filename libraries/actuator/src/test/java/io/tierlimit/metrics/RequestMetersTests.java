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
	void registeredRuleHasCountersOfZero() {
		register(this.search);
		assertThat(requests("search", OTHER, "allowed")).isZero();
		assertThat(requests("search", OTHER, "rejected")).isZero();
		assertThat(requests("search", "gold", "rejected")).isZero();
		assertThat(nearLimit("search", "gold")).isZero();
		assertThat(waits("search").count()).isZero();
	}

	@Test
	void everyRuleOfAVerdictCountsItsOwnOutcome() {
		Rule all = TestRules.rule("all", 10);
		register(all, this.search);
		publish(Outcome.REJECTED, TestDecision.allowed(all, 9), TestDecision.rejected(this.search));
		assertThat(requests("all", OTHER, "allowed")).isOne();
		assertThat(requests("all", OTHER, "rejected")).isZero();
		assertThat(requests("search", OTHER, "rejected")).isOne();
		assertThat(requests("search", OTHER, "allowed")).isZero();
	}

	@Test
	void ruleThatIsEnforcedForAShareHasCountersOfBothModes() {
		register(this.search.options((options) -> options.with(new EnforcedShare(0.05))));
		assertThat(requests("search", OTHER, "rejected")).isZero();
		assertThat(requests("search", OTHER, "shadow-rejected")).isZero();
		register(TestRules.rule("none", 1).options((options) -> options.mode(RuleMode.SHADOW)));
		assertThat(this.registry.find("tierlimit.requests").tag("rule", "none").counters())
			.extracting((counter) -> counter.getId().getTag("outcome"))
			.contains("shadow-rejected")
			.doesNotContain("rejected");
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
	void listedPlanHasItsOwnCounter() {
		register(this.search);
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 99).onPlan("gold"));
		assertThat(requests("search", "gold", "allowed")).isOne();
		assertThat(requests("search", OTHER, "allowed")).isZero();
	}

	@Test
	void planThatAnotherRuleListsHasItsOwnCounter() {
		Rule byPlan = TestRules.rule("by-plan", 10).scope(Scope.of(Scope.PLAN));
		register(this.search, byPlan);
		publish(Outcome.ALLOWED, TestDecision.allowed(byPlan, 9).onPlan("gold"));
		assertThat(requests("by-plan", "gold", "allowed")).isOne();
	}

	@Test
	void planThatNoRuleListsIsOther() {
		register(this.search);
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 9).onPlan("invented"));
		assertThat(requests("search", OTHER, "allowed")).isOne();
		assertThat(this.registry.find("tierlimit.requests").tag("plan", "invented").counters()).isEmpty();
	}

	@Test
	void scopeOfTheRuleIsATag() {
		register(TestRules.rule("scoped", 10).scope(Scope.of(Scope.USER, Scope.IP)));
		assertThat(this.registry.get("tierlimit.requests").tag("rule", "scoped").counters())
			.allSatisfy((counter) -> assertThat(counter.getId().getTag("scope")).isEqualTo("ip+user"));
	}

	@Test
	void lessThanAFifthOfTheCapacityIsNearTheLimit() {
		register(this.search);
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 2));
		assertThat(nearLimit("search", OTHER)).as("a fifth").isZero();
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 1));
		assertThat(nearLimit("search", OTHER)).isOne();
	}

	@Test
	void onlyAChargeOfAnAllowedRequestIsNearTheLimit() {
		register(this.search);
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 0).cost(0));
		publish(Outcome.REJECTED, TestDecision.allowed(this.search, 0));
		assertThat(nearLimit("search", OTHER)).isZero();
	}

	@Test
	void rejectionByAShadowRuleIsNotNearTheLimit() {
		register(this.shadow);
		publish(Outcome.ALLOWED, TestDecision.rejected(this.shadow));
		assertThat(nearLimit("shadow", OTHER)).isZero();
	}

	@Test
	void waitIsCountedAndTimed() {
		register(this.search);
		publish(Outcome.ALLOWED, TestDecision.delayed(this.search, Duration.ofMillis(250)));
		assertThat(requests("search", OTHER, "delayed")).isOne();
		assertThat(waits("search").count()).isOne();
		assertThat(waits("search").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(250);
	}

	@Test
	void requestThatDoesNotWaitIsNotTimed() {
		register(this.search);
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 9));
		publish(Outcome.REJECTED, TestDecision.rejected(this.search));
		assertThat(waits("search").count()).isZero();
	}

	@Test
	void bucketOfThisInstanceHasItsOwnOutcome() {
		register(this.search);
		publish(Outcome.ALLOWED, TestDecision.allowed(this.search, 9).byThisInstance());
		assertThat(requests("search", OTHER, "store-local")).isOne();
		assertThat(requests("search", OTHER, "allowed")).isZero();
	}

	@Test
	void undecidedRulesCountWhatTheirStorePolicyDoes() {
		Rule open = TestRules.rule("open", 10);
		register(open, this.search);
		this.meters.onVerdict(
				new Verdict(Outcome.UNAVAILABLE, List.of(),
						List.of(new TestUndecided("open", null, false), new TestUndecided("search", "gold", true))),
				Caller.UNKNOWN);
		assertThat(requests("open", OTHER, "store-allowed")).isOne();
		assertThat(requests("search", "gold", "store-denied")).isOne();
	}

	@Test
	void ruleOfABeanThatIsCreatedLateIsRegisteredByItsId() {
		Rule late = TestRules.rule("late", 10);
		this.lateRules.put("late", TestEvaluators.of(late).rule("late"));
		publish(Outcome.ALLOWED, TestDecision.allowed(late, 9));
		assertThat(requests("late", OTHER, "allowed")).isOne();
		assertThat(requests("late", OTHER, "rejected")).isZero();
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

	@Test
	void unknownRuleCountsNothing() {
		register(this.search);
		this.meters.onVerdict(new Verdict(Outcome.ALLOWED,
				List.of(TestDecision.allowed(TestRules.rule("unknown", 10), 9), TestDecision.allowed(this.search, 9)),
				List.of(new TestUndecided("unknown", null, false))), Caller.UNKNOWN);
		assertThat(this.registry.getMeters()).noneMatch((meter) -> "unknown".equals(meter.getId().getTag("rule")));
		assertThat(requests("search", OTHER, "allowed")).as("of the next rule").isOne();
	}

	@Test
	void shadowRuleHasNoCounterOfRejections() {
		register(this.shadow, this.search);
		publish(Outcome.ALLOWED, TestDecision.rejected(this.shadow));
		assertThat(requests("shadow", OTHER, "shadow-rejected")).isOne();
		assertThat(findRequests("shadow", OTHER, "rejected")).isNull();
		assertThat(findRequests("search", OTHER, "shadow-rejected")).isNull();
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
