package io.tierlimit.evaluation;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests rules with a candidate.
 */
class CandidateTests extends SimulatedTraffic {

	@Test
	void candidateIsDecidedForTheSameKeyAndRejectsNothing() {
		TestEvaluator evaluator = evaluator(rule(3, 1));
		for (int i = 0; i < 4; i++) {
			Verdict verdict = publish(evaluator, ALICE);
			assertThat(verdict.allowed()).isEqualTo(i < 3);
			assertThat(verdict.decisions()).extracting(RuleDecision::rule).containsExactly("r", "r.candidate");
			assertThat(verdict.decisions()).extracting(RuleDecision::key).containsExactly("alice", "alice");
			assertThat(verdict.decisions()).extracting(RuleDecision::derivedFrom).containsExactly(null, "r");
			RuleDecision candidate = verdict.decisions().get(1);
			assertThat(candidate.shadow()).isTrue();
			assertThat(candidate.hidden()).isTrue();
		}
		assertThat(comparison(evaluator)).hasToString(
				"{id=r.candidate, compared=4, rejectedOnlyByCandidate=2, rejectedOnlyByRule=0, rejectedMorePercent=50.0}");
	}

	@Test
	void generousCandidateAllowsWhatTheRuleRejects() {
		TestEvaluator evaluator = evaluator(rule(1, 3));
		publish(evaluator, ALICE);
		for (int i = 0; i < 5; i++) {
			Verdict verdict = publish(evaluator, ALICE);
			assertThat(verdict.allowed()).isFalse();
			assertThat(comparison(evaluator)).containsEntry("rejectedOnlyByRule", i + 1L);
			assertThat(verdict.decisions().get(1).decision().remaining()).as("consumes as the rule does").isEqualTo(2);
		}
	}

	@Test
	void candidateNeedsNoCallOfItsOwn() {
		RecordedCalls recorded = new RecordedCalls(this.store);
		publish(evaluator(recorded, WaitQueue.NONE, rule(3, 1)), ALICE);
		assertThat(recorded.calls).containsExactly("acquire 2");
	}

	@Test
	void codeChargesTheCandidate() {
		TestEvaluator evaluator = evaluator(rule(3, 1));
		PermitRequest request = PermitRequest.of("r").user("alice");
		Verdict first = evaluator.limiter().tryAcquire(request);
		Verdict second = evaluator.limiter().tryAcquire(request);
		assertThat(second.allowed()).isTrue();
		assertThat(second.decisions()).extracting(RuleDecision::outcome)
			.containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
		evaluator.limiter().refund(first);
		assertThat(remaining(evaluator, request)).containsExactly(2L, 1L);
		evaluator.limiter().reset(request);
		assertThat(remaining(evaluator, request)).containsExactly(3L, 1L);
		assertThat(evaluator.limiter().peek(PermitRequest.of("r.candidate").user("alice")).decisions()).hasSize(1);
	}

	@Test
	void annotationWithItsOwnKeyAndCostChargesTheCandidateWithTheSameKeyAndCost() {
		TestEvaluator evaluator = evaluator(rule(9, 5));
		Rule variant = rule(9, 5)
			.scope(new Scope(List.of(), "'x' + user", evaluator.rule("r").rule().scope().onMissingKey()))
			.cost("2");
		CompiledRule compiled = evaluator.variant(variant, Set.of());
		Verdict verdict = evaluator.evaluate(List.of(new MatchedRule(compiled, null)), ALICE);
		assertThat(verdict.decisions()).extracting(RuleDecision::rule).containsExactly("r", "r.candidate");
		assertThat(verdict.decisions()).extracting(RuleDecision::key).containsExactly("xalice", "xalice");
		assertThat(verdict.decisions()).extracting((decision) -> decision.decision().remaining())
			.containsExactly(7L, 3L);
	}

	@Test
	void outcomeOfTheRequestRefundsAndResetsBoth() {
		TestEvaluator evaluator = evaluator(charging(rule(9, 5), "401", "204"));
		assertThat(afterRequest(evaluator, 401)).containsExactly(8L, 4L);
		assertThat(afterRequest(evaluator, 200)).containsExactly(8L, 4L);
		assertThat(afterRequest(evaluator, 401)).containsExactly(7L, 3L);
		assertThat(afterRequest(evaluator, 204)).containsExactly(9L, 5L);
	}

	private static List<Long> afterRequest(TestEvaluator evaluator, int status) {
		RateLimitTransaction transaction = evaluator.begin(ALICE);
		transaction.evaluate(evaluator.matched("r"), Stage.ALL);
		transaction.complete(RequestOutcome.answered(status));
		return remaining(evaluator, PermitRequest.of("r").user("alice"));
	}

	@Test
	void candidateHasThePlansOfTheRule() {
		RuleLimits limits = new RuleLimits(TestRules.bucket(9), Map.of("pro", new PlanLimit(TestRules.bucket(20)),
				"max", PlanLimit.UNLIMITED, "min", new PlanLimit(TestRules.bucket(2))));
		RuleLimits candidate = new RuleLimits(TestRules.bucket(5), Map.of("pro", new PlanLimit(TestRules.bucket(10)),
				"max", PlanLimit.UNLIMITED, "min", PlanLimit.UNLIMITED));
		TestEvaluator evaluator = evaluator(
				with(TestRules.rule("r", limits).scope(Scope.of("user")), new CandidateLimits(candidate)));
		assertThat(capacities(publish(evaluator, ALICE))).containsExactly(9L, 5L);
		assertThat(capacities(publish(evaluator, ALICE.on("pro")))).containsExactly(20L, 10L);
		assertThat(capacities(publish(evaluator, ALICE.on("max")))).isEmpty();
		assertThat(capacities(publish(evaluator, ALICE.on("min")))).as("unlimited in the candidate")
			.containsExactly(2L);
	}

	@Test
	void candidateIsNotOneOfTheRulesThatRequestsMatch() {
		TestEvaluator evaluator = evaluator(rule(3, 1), TestRules.rule("other", 1));
		CompiledRules rules = evaluator.activeRules().current();
		assertThat(rules.all()).extracting((rule) -> rule.rule().id()).containsExactly("r", "other");
		assertThat(rules.withDerived()).extracting((rule) -> rule.rule().id())
			.containsExactly("r", "r.candidate", "other");
		assertThat(new BucketLookup(evaluator.activeRules(), evaluator.evaluator()).findOf("alice", null, null))
			.extracting(RuleDecision::rule)
			.containsExactly("r", "r.candidate", "other");
	}

	@Test
	void ruleInShadowModeIsAlsoCompared() {
		TestEvaluator evaluator = evaluator(shadow(rule(2, 1)));
		for (int i = 0; i < 3; i++) {
			publish(evaluator, ALICE);
		}
		assertThat(comparison(evaluator)).containsEntry("rejectedOnlyByCandidate", 1L).containsEntry("compared", 3L);
	}

	@Test
	void candidateThatIsRemovedIsInactive() {
		TestEvaluator evaluator = evaluator(rule(3, 1));
		RuleSet before = new RuleSet(List.of(rule(3, 1)));
		evaluator.replace(new RuleSet(List.of(TestRules.rule("r", 3).scope(Scope.of("user")))).after(before));
		assertThat(evaluator.limiter().tryAcquire(PermitRequest.of("r.candidate").user("alice")))
			.isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void rejectionsAreNotCachedSoThatTheyAreCompared() {
		assertThat(cachesRejections(rule(1, 1))).isFalse();
		assertThat(cachesRejections(TestRules.rule("r", 1))).isTrue();
	}

	private boolean cachesRejections(Rule rule) {
		PermitRequest request = PermitRequest.of("r");
		RuleCharge charge = PermitCharges.of(evaluator(rule).rule("r"),
				rule.scope().names().isEmpty() ? request : request.user("alice"), RuleChargeOptions::immediate);
		return Objects.requireNonNull(charge).options().cacheRejections();
	}

	@Test
	void comparisonContinuesUnderOtherRulesWithTheSameId() {
		TestEvaluator evaluator = evaluator(rule(3, 1));
		publish(evaluator, ALICE);
		evaluator.replace(rule(4, 1));
		publish(evaluator, ALICE);
		assertThat(comparison(evaluator)).containsEntry("compared", 2L);
		evaluator.replace(TestRules.rule("r", 4).scope(Scope.of("user")));
		assertThat(evaluator.describe("r")).doesNotContainKey("candidate");
		evaluator.replace(rule(4, 1));
		assertThat(comparison(evaluator)).as("a counter that comes back begins at 0").containsEntry("compared", 0L);
	}

	@Test
	void candidateShowsItsRule() {
		TestEvaluator evaluator = evaluator(rule(3, 1));
		assertThat(evaluator.describe("r.candidate")).containsEntry("candidateOf", "r").doesNotContainKey("candidate");
		assertThat(evaluator.describe("r")).doesNotContainKey("candidateOf");
	}

	@Test
	void idOfACandidateEndsWithTheNumberOfTheRule() {
		Rule numbered = candidate(TestRules.rule("Orders.place#2", 1), TestRules.bucket(1));
		assertThat(numbered.derived().toString()).contains("id=Orders.place.candidate#2");
	}

	private static Map<String, Object> comparison(TestEvaluator evaluator) {
		assertThat(evaluator.describe("r").get("candidate")).isInstanceOf(Map.class);
		@SuppressWarnings("unchecked")
		Map<String, Object> candidate = (Map<String, Object>) evaluator.describe("r").get("candidate");
		return Objects.requireNonNull(candidate);
	}

	private static Rule rule(long burst, long candidate) {
		return candidate(perUser("r", TestRules.bucket(burst)), TestRules.bucket(candidate));
	}

	private static Verdict publish(TestEvaluator evaluator, SimpleCaller caller) {
		Verdict verdict = evaluator.evaluate(evaluator.matched("r"), caller);
		evaluator.evaluator().publish(verdict, caller);
		return verdict;
	}

	private static List<Long> capacities(Verdict verdict) {
		return verdict.decisions().stream().map((decision) -> decision.limit().capacity()).toList();
	}

	private static List<Long> remaining(TestEvaluator evaluator, PermitRequest request) {
		return evaluator.limiter()
			.peek(request.cost(0))
			.decisions()
			.stream()
			.map((decision) -> decision.decision().remaining())
			.toList();
	}

}
