package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests concurrency limits with other features. See docs/contributing/evidence.md.
 */
class ConcurrencyPairsTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private static final RequestOutcome OK = RequestOutcome.answered(200);

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	private static final SimpleCaller BOB = SimpleCaller.at("192.0.2.2").as("bob");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);

	@Test
	void candidateHoldsItsOwnPermitsAndRejectsNothing() {
		TestEvaluator evaluator = evaluator(candidate(inUse(3), Concurrency.of(1, Duration.ofHours(1))));
		RateLimitTransaction first = begin(evaluator, ALICE);
		RateLimitTransaction second = evaluator.begin(ALICE);
		assertThat(outcomes(second, evaluator)).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
		second.complete(OK);
		first.complete(OK);
		RateLimitTransaction third = evaluator.begin(ALICE);
		assertThat(outcomes(third, evaluator)).as("both were released")
			.containsExactly(RuleOutcome.ALLOWED, RuleOutcome.ALLOWED);
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
	}

	@Test
	void candidateWithARateConsumesPermitsThatTheRuleHolds() {
		TestEvaluator evaluator = evaluator(candidate(inUse(1), bucket("2/h")));
		for (int i = 0; i < 3; i++) {
			RateLimitTransaction transaction = evaluator.begin(ALICE);
			assertThat(outcomes(transaction, evaluator)).as("request %s", i)
				.containsExactly(RuleOutcome.ALLOWED, (i < 2) ? RuleOutcome.ALLOWED : RuleOutcome.SHADOW_REJECTED);
			transaction.complete(OK);
		}
	}

	@Test
	void candidateHoldsPermitsThatTheRuleConsumes() {
		TestEvaluator evaluator = evaluator(candidate(rule(bucket("9/h")), Concurrency.of(1, Duration.ofHours(1))));
		RateLimitTransaction first = begin(evaluator, ALICE);
		RateLimitTransaction second = evaluator.begin(ALICE);
		assertThat(outcomes(second, evaluator)).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
		first.complete(OK);
		second.complete(OK);
		assertThat(outcomes(evaluator.begin(ALICE), evaluator)).containsExactly(RuleOutcome.ALLOWED,
				RuleOutcome.ALLOWED);
		assertThat(remaining(evaluator, "alice")).isEqualTo(6);
	}

	@Test
	void overrideReplacesTheLimitAndItsPermitsAreReleasedAfterItsEnd() {
		Rule rule = inUse(1);
		TestEvaluator evaluator = evaluator(rule);
		CallerOverride three = new CallerOverride("a", new Target(Kind.USER, List.of("alice")), Set.of("r"),
				Effect.LIMIT, Map.of("r", Concurrency.of(3, Duration.ofHours(1))), START.plusSeconds(1), null);
		evaluator.replace(new RuleSet(List.of(rule)).overrides(List.of(three)));
		List<RateLimitTransaction> running = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			running.add(begin(evaluator, ALICE));
		}
		assertThat(allows(evaluator, ALICE)).isFalse();
		begin(evaluator, BOB);
		assertThat(allows(evaluator, BOB)).isFalse();
		this.ticker.advance(Duration.ofSeconds(1));
		running.get(0).complete(OK);
		assertThat(allows(evaluator, ALICE)).as("2 of 1").isFalse();
		running.forEach((transaction) -> transaction.complete(OK));
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
	}

	@Test
	void unlimitedCallerHoldsNothing() {
		Rule rule = inUse(1);
		TestEvaluator evaluator = evaluator(rule);
		evaluator.replace(new RuleSet(List.of(rule)).overrides(List.of(new CallerOverride("a",
				new Target(Kind.USER, List.of("alice")), Set.of(), Effect.UNLIMITED, Map.of(), null, null))));
		begin(evaluator, ALICE);
		begin(evaluator, ALICE).complete(OK);
		assertThat(this.store.size()).isZero();
	}

	@Test
	void permitIsReleasedToTheBucketOfThePlanThatHeldIt() {
		Rule rule = inUse(1);
		TestEvaluator evaluator = evaluator(new Rule("r", rule.selection(), rule.scope(),
				new RuleLimits(rule.limits().standard(), Map.of("pro",
						new PlanLimit(Concurrency.of(2, Duration.ofHours(1))), "max", PlanLimit.UNLIMITED)),
				rule.cost(), rule.options()));
		RateLimitTransaction free = begin(evaluator, ALICE);
		assertThat(allows(evaluator, ALICE)).isFalse();
		RateLimitTransaction pro = begin(evaluator, ALICE.on("pro"));
		begin(evaluator, ALICE.on("max")).complete(OK);
		assertThat(remaining(evaluator, "alice", "pro")).isEqualTo(1);
		free.continueAs(ALICE.on("pro"));
		free.complete(OK);
		assertThat(remaining(evaluator, "alice", null)).isEqualTo(1);
		assertThat(remaining(evaluator, "alice", "pro")).isEqualTo(1);
		pro.complete(OK);
		assertThat(remaining(evaluator, "alice", "pro")).isEqualTo(2);
	}

	@Test
	void shadowRuleRejectsNothingAndReleasesThePermitsOfAllowedRequestsOnly() {
		TestEvaluator evaluator = evaluator(inUse(1).options((options) -> options.mode(RuleMode.SHADOW)));
		RateLimitTransaction first = begin(evaluator, ALICE);
		RateLimitTransaction second = evaluator.begin(ALICE);
		assertThat(outcomes(second, evaluator)).containsExactly(RuleOutcome.SHADOW_REJECTED);
		second.complete(OK);
		assertThat(remaining(evaluator, "alice")).isZero();
		first.complete(OK);
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
	}

	@Test
	void permitIsReleasedAfterTheTimesOfItsRule() {
		Schedule times = new Schedule(List.of(new TimeRange(null, START.plusSeconds(1))), List.of(), ZoneOffset.UTC);
		TestEvaluator evaluator = evaluator(inUse(1).options((options) -> options.with(times)));
		RateLimitTransaction running = begin(evaluator, ALICE);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(evaluate(evaluator.begin(ALICE), evaluator)).isEqualTo(Verdict.UNLIMITED);
		running.complete(OK);
		evaluator.replace(inUse(1));
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
	}

	@Test
	void forwardedRequestHoldsOnePermit() {
		TestEvaluator evaluator = evaluator(inUse(2), inUse(2, "other"));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		transaction.evaluateForward(evaluator.matched("r", "other"), Stage.ALL);
		transaction.evaluateForward(evaluator.matched("r", "other"), Stage.ALL);
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
		assertThat(remaining(evaluator, "other", "alice", null)).as("only at the target").isEqualTo(1);
		transaction.complete(OK);
		transaction.complete(OK);
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
		assertThat(remaining(evaluator, "other", "alice", null)).isEqualTo(2);
	}

	/** All or nothing: a violated rate leaves no permit in use, and the reverse. */
	@Test
	void rateAndConcurrencyAreDecidedTogether() {
		TestEvaluator evaluator = evaluator(inUse(2), rule(bucket("1/h"), "rate"));
		begin(evaluator, ALICE, "r", "rate").complete(OK);
		assertThat(evaluator.begin(ALICE).evaluate(evaluator.matched("r", "rate"), Stage.ALL).allowed()).isFalse();
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
		begin(evaluator, BOB);
		begin(evaluator, BOB);
		assertThat(evaluator.begin(BOB).evaluate(evaluator.matched("r", "rate"), Stage.ALL).allowed()).isFalse();
		assertThat(remaining(evaluator, "rate", "bob", null)).isEqualTo(1);
	}

	private static Rule inUse(long permits) {
		return inUse(permits, "r");
	}

	private static Rule inUse(long permits, String id) {
		return rule(Concurrency.of(permits, Duration.ofHours(1)), id);
	}

	private static Rule rule(Limit limit) {
		return rule(limit, "r");
	}

	private static Rule rule(Limit limit, String id) {
		return TestRules.rule(id, limit).scope(Scope.of(Scope.USER));
	}

	private static Limit bucket(String rate) {
		return new TokenBucket(Rate.parse(rate));
	}

	private static Rule candidate(Rule rule, Limit limit) {
		return rule.options((options) -> options.with(new CandidateLimits(new RuleLimits(limit))));
	}

	private TestEvaluator evaluator(Rule... rules) {
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS,
				StandardOptions.of(() -> START.plus(this.ticker.ticks(), ChronoUnit.MICROS), Map.of(), this.ticker));
		return new TestEvaluator(new ActiveRules(compiler, new RuleSet(List.of(rules))),
				new RateLimitEvaluator(this.store));
	}

	private static Verdict evaluate(RateLimitTransaction transaction, TestEvaluator evaluator) {
		Verdict verdict = transaction.evaluate(evaluator.matched("r"), Stage.ALL);
		transaction.begin(verdict);
		return verdict;
	}

	private static List<RuleOutcome> outcomes(RateLimitTransaction transaction, TestEvaluator evaluator) {
		return evaluate(transaction, evaluator).decisions().stream().map(RuleDecision::outcome).toList();
	}

	/** Begins a request that is allowed. */
	private static RateLimitTransaction begin(TestEvaluator evaluator, SimpleCaller caller, String... rules) {
		RateLimitTransaction transaction = evaluator.begin(caller);
		String[] matched = (rules.length == 0) ? new String[] { "r" } : rules;
		Verdict verdict = transaction.evaluate(evaluator.matched(matched), Stage.ALL);
		assertThat(verdict.allowed()).isTrue();
		transaction.begin(verdict);
		return transaction;
	}

	private static boolean allows(TestEvaluator evaluator, SimpleCaller caller) {
		return evaluate(evaluator.begin(caller), evaluator).allowed();
	}

	private static long remaining(TestEvaluator evaluator, String user) {
		return remaining(evaluator, user, null);
	}

	private static long remaining(TestEvaluator evaluator, String user, @Nullable String plan) {
		return remaining(evaluator, "r", user, plan);
	}

	private static long remaining(TestEvaluator evaluator, String rule, String user, @Nullable String plan) {
		return evaluator.remaining(PermitRequest.of(rule).user(user).plan(plan));
	}

}
