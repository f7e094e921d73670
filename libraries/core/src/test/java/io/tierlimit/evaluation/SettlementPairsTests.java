package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.EstimatedCost;
import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.option.adaptive.AdaptivePolicy;
import io.tierlimit.option.adaptive.AdaptiveRates;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.OutcomeCondition;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.settlement.ActualCost;
import io.tierlimit.option.shard.Shards;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.option.wait.ReservationOptions;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.shard.ShardedBuckets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests actual costs with other features. See docs/contributing/evidence.md.
 */
class SettlementPairsTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);

	private final WaitQueue queue = new WaitQueue(100, this.ticker::advance);

	private final List<Runnable> background = new ArrayList<>();

	private boolean overloaded;

	// Adaptive rates

	@Test
	void chargeBeforeTheRateIsReducedIsNotReturnedButConsumesMore() {
		TestEvaluator evaluator = evaluator(
				tokens(100, new AdaptivePolicy(Rate.parse("1/30d"), null, 0.0, "overload", MINUTE, "r", 0)));
		RateLimitTransaction less = begin(evaluator);
		RateLimitTransaction more = begin(evaluator);
		reduce(evaluator);
		settle(begin(evaluator), 10);
		assertThat(remaining(evaluator)).isEqualTo(70);
		settle(less, 0);
		assertThat(remaining(evaluator)).isEqualTo(70);
		settle(more, 25);
		assertThat(remaining(evaluator)).isEqualTo(55);
	}

	// Bans

	@Test
	void settlementLiftsNoBanAndRejectionsForDebtAreCounted() {
		TestEvaluator evaluator = evaluator(tokens(25, new Banning(BanPolicy.of(2, MINUTE, MINUTE, MINUTE))));
		RateLimitTransaction less = begin(evaluator);
		settle(begin(evaluator), 35);
		assertThat(evaluate(evaluator).banned()).as("after one rejection").isFalse();
		assertThat(evaluate(evaluator).banned()).as("after two rejections").isTrue();
		assertThat(consumed(evaluator)).isEqualTo(45);
		settle(less, 0);
		this.ticker.advance(MINUTE.minusSeconds(1));
		assertThat(evaluate(evaluator).banned()).isTrue();
	}

	// Candidates

	@Test
	void candidateOwesItsOwnDebt() {
		TestEvaluator evaluator = evaluator(tokens(100, new CandidateLimits(new RuleLimits(bucket(20)))));
		settle(begin(evaluator), 70);
		assertThat(consumed(evaluator)).isEqualTo(70);
		assertThat(consumed(evaluator, "r.candidate", "alice", null)).as("20 permits and as much debt").isEqualTo(40);
		assertThat(evaluate(evaluator).decisions()).extracting(RuleDecision::outcome)
			.containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
	}

	// Waits and reservations

	@Test
	void requestWaitsUntilTheDebtIsRepaid() {
		Limit perMinute = new TokenBucket(Rate.parse("10/m"));
		TestEvaluator evaluator = evaluator(tokens(perMinute, null, new ReservationOptions(0, MINUTE.multipliedBy(2))));
		settle(begin(evaluator), 15);
		RateLimitTransaction waiting = evaluator.begin(ALICE);
		assertThat(evaluate(evaluator, waiting).delay()).isEqualTo(Duration.ofSeconds(90));
		assertThat(evaluate(evaluator).allowed()).as("after 150 seconds").isFalse();
		settle(waiting, 5);
		assertThat(evaluate(evaluator).delay()).as("5 fewer permits").isEqualTo(MINUTE.multipliedBy(2));
	}

	@Test
	void reservationsAndSettlementsHaveOneLevelWithTheirOwnBounds() {
		TestEvaluator evaluator = evaluator(tokens(bucket(100), 30L, new ReservationOptions(50, Duration.ZERO)));
		RateLimitTransaction running = begin(evaluator);
		settle(begin(evaluator), 500);
		assertThat(consumed(evaluator)).isEqualTo(130);
		PermitRequest twenty = PermitRequest.of("r").user("alice").cost(20);
		assertThat(evaluator.limiter().reserve(twenty).delay()).isPositive();
		settle(running, 500);
		assertThat(consumed(evaluator)).as("no further debt").isEqualTo(150);
	}

	// Overrides and plans

	@Test
	void costIsSettledUnderTheOverrideAfterItsEnd() {
		Rule rule = tokens(10);
		TestEvaluator evaluator = evaluator(rule);
		CallerOverride override = new CallerOverride("a", new Target(Kind.USER, List.of("alice")), Set.of("r"),
				Effect.LIMIT, Map.of("r", bucket(50)), null, null);
		evaluator.replace(new RuleSet(List.of(rule)).overrides(List.of(override)));
		RateLimitTransaction less = begin(evaluator);
		RateLimitTransaction more = begin(evaluator);
		evaluator.replace(rule);
		settle(less, 4);
		settle(more, 80);
		assertThat(consumed(evaluator)).as("a debt of 34 permits").isEqualTo(44);
	}

	@Test
	void costOfAnUnlimitedCallerIsNotSettled() {
		Rule rule = tokens(100);
		TestEvaluator evaluator = evaluator(rule);
		evaluator.replace(new RuleSet(List.of(rule)).overrides(List.of(new CallerOverride("a",
				new Target(Kind.USER, List.of("alice")), Set.of(), Effect.UNLIMITED, Map.of(), null, null))));
		RateLimitTransaction transaction = begin(evaluator);
		assertThat(transaction.estimatedCost("r").meter(500)).isFalse();
		assertThat(transaction.estimatedCost("r").settle(500)).isFalse();
		transaction.complete(RequestOutcome.answered(200));
		assertThat(this.store.size()).isZero();
	}

	@Test
	void costIsSettledInTheBucketOfThePlanThatWasCharged() {
		Rule rule = tokens(100);
		TestEvaluator evaluator = evaluator(new Rule("r", rule.selection(), rule.scope(),
				new RuleLimits(rule.limits().standard(), Map.of("pro", new PlanLimit(bucket(200)))), rule.cost(),
				rule.options()));
		RateLimitTransaction transaction = begin(evaluator);
		transaction.continueAs(ALICE.on("pro"));
		settle(transaction, 500);
		assertThat(consumed(evaluator)).as("100 permits and as much debt").isEqualTo(200);
		assertThat(consumed(evaluator, "r", "alice", "pro")).isZero();
	}

	// Shadow mode

	@Test
	void shadowRuleOwesDebtButRejectsNothingAndSettlesAllowedRequestsOnly() {
		TestEvaluator evaluator = evaluator(tokens(100).options((options) -> options.mode(RuleMode.SHADOW)));
		settle(begin(evaluator), 120);
		assertThat(consumed(evaluator)).isEqualTo(120);
		RateLimitTransaction rejected = begin(evaluator);
		rejected.estimatedCost("r").meter(40);
		runBackground();
		settle(rejected, 50);
		assertThat(consumed(evaluator)).isEqualTo(120);
	}

	@Test
	void meteringEndsNoResponseOfAKeyWithoutEnforcement() {
		TestEvaluator evaluator = evaluator(tokens(100, new EnforcedShare(0.5)));
		Set<Boolean> found = new HashSet<>();
		for (int i = 0; i < 20; i++) {
			SimpleCaller caller = ALICE.as("user" + i);
			RateLimitTransaction transaction = evaluator.begin(caller);
			boolean enforced = !evaluate(evaluator, transaction).decisions().get(0).shadow();
			EstimatedCost cost = transaction.estimatedCost("r");
			cost.meter(500);
			runBackground();
			assertThat(cost.meter(500)).isEqualTo(enforced);
			assertThat(consumed(evaluator, "r", "user" + i, null)).isEqualTo(200);
			found.add(enforced);
		}
		assertThat(found).containsOnly(true, false);
	}

	// Schedules

	@Test
	void costIsSettledAfterTheTimesOfItsRule() {
		Schedule times = new Schedule(List.of(new TimeRange(null, START.plusSeconds(1))), List.of(), ZoneOffset.UTC);
		TestEvaluator evaluator = evaluator(tokens(100, times));
		RateLimitTransaction less = begin(evaluator);
		RateLimitTransaction more = begin(evaluator);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(evaluate(evaluator)).isEqualTo(Verdict.UNLIMITED);
		settle(less, 3);
		settle(more, 30);
		evaluator.replace(tokens(100));
		assertThat(consumed(evaluator)).isEqualTo(33);
	}

	// Outcomes

	@Test
	void resetOrRefundByTheOutcomeComesFirst() {
		TestEvaluator evaluator = evaluator(tokens(100,
				new ChargePolicy(List.of(OutcomeCondition.parse("2xx")), List.of(OutcomeCondition.parse("404")))));
		RateLimitTransaction refunded = begin(evaluator);
		refunded.estimatedCost("r").settle(70);
		refunded.complete(RequestOutcome.answered(500));
		assertThat(consumed(evaluator)).isZero();
		settle(begin(evaluator), 30);
		RateLimitTransaction reset = evaluator.begin(ALICE);
		reset.evaluate(List.of(new MatchedRule(evaluator.rule("r"), null, MatchedRule.Handling.NAMED)), Stage.ALL);
		reset.estimatedCost("r").settle(70);
		reset.complete(RequestOutcome.answered(404));
		assertThat(consumed(evaluator)).isZero();
	}

	// Shards

	@Test
	void costIsReturnedToTheShardsThatWereChargedAndConsumedFromAll() {
		TestEvaluator evaluator = evaluator(onFourShards(null));
		settle(begin(evaluator), 4);
		assertThat(evaluator.remaining("r")).isEqualTo(96);
		settle(begin(evaluator), 22);
		assertThat(evaluator.remaining("r")).isEqualTo(74);
	}

	@Test
	void eachShardOwesItsPartOfTheDebt() {
		Rule rule = onFourShards(40L);
		TestEvaluator evaluator = evaluator(rule);
		settle(begin(evaluator), 500);
		evaluator.replace(rule.options((options) -> options.without(ActualCost.class)));
		assertThat(evaluator.remaining("r")).isZero();
		this.ticker.advance(Duration.ofDays(1));
		assertThat(evaluator.remaining("r")).as("each shard owed 10 of 25 permits").isEqualTo(60);
	}

	/** A rule whose callers share 100 permits. */
	private static Rule onFourShards(@Nullable Long maxDebt) {
		return tokens(new TokenBucket(Rate.parse("100/d")), maxDebt).scope(Scope.of())
			.options((options) -> options.with(new Shards(4)));
	}

	/** A rule per user with the estimate 10, whose code reports the actual cost. */
	private static Rule tokens(long permits, OptionValue... options) {
		return tokens(bucket(permits), null, options);
	}

	private static Rule tokens(Limit limit, @Nullable Long maxDebt, OptionValue... others) {
		Rule rule = TestRules.rule("r", limit)
			.scope(Scope.of(Scope.USER))
			.cost("10")
			.options((options) -> options.with(new ActualCost("metered", maxDebt)));
		for (OptionValue other : others) {
			rule = rule.options((options) -> options.with(other));
		}
		return rule;
	}

	/** Permits that are not refilled during a test. */
	private static Limit bucket(long permits) {
		return TestRules.bucket(permits);
	}

	private TestEvaluator evaluator(Rule... rules) {
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS,
				StandardOptions.of(() -> START.plus(this.ticker.ticks(), ChronoUnit.MICROS),
						Map.of("overload", () -> this.overloaded), this.ticker));
		ShardedBuckets buckets = new ShardedBuckets(this.store, this.ticker);
		Metering metering = new Metering(buckets, () -> 0, (delay, task) -> this.background.add(task));
		return new TestEvaluator(new ActiveRules(compiler, new RuleSet(List.of(rules))),
				new RateLimitEvaluator(buckets, VerdictPublisher.NONE, this.queue, metering));
	}

	private void runBackground() {
		List<Runnable> tasks = List.copyOf(this.background);
		this.background.clear();
		tasks.forEach(Runnable::run);
	}

	private void reduce(TestEvaluator evaluator) {
		this.overloaded = true;
		evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
		assertThat(evaluator.adaptiveRate("r").share().doubleValue()).isLessThan(1);
	}

	private static Verdict evaluate(TestEvaluator evaluator) {
		return evaluate(evaluator, evaluator.begin(ALICE));
	}

	private static Verdict evaluate(TestEvaluator evaluator, RateLimitTransaction transaction) {
		return transaction.evaluate(evaluator.matched("r"), Stage.ALL);
	}

	/** Begins a request that is allowed. */
	private static RateLimitTransaction begin(TestEvaluator evaluator) {
		RateLimitTransaction transaction = evaluator.begin(ALICE);
		assertThat(evaluate(evaluator, transaction).allowed()).isTrue();
		return transaction;
	}

	/** Ends a request with its actual cost. */
	private static void settle(RateLimitTransaction transaction, long actual) {
		transaction.estimatedCost("r").settle(actual);
		transaction.complete(RequestOutcome.answered(200));
	}

	private static long remaining(TestEvaluator evaluator) {
		return evaluator.remaining(PermitRequest.of("r").user("alice"));
	}

	/** The consumed permits of alice, and what the bucket owes. */
	private static long consumed(TestEvaluator evaluator) {
		return consumed(evaluator, "r", "alice", null);
	}

	private static long consumed(TestEvaluator evaluator, String rule, String user, @Nullable String plan) {
		PermitRequest request = PermitRequest.of(rule).user(user).plan(plan).cost(0);
		long day = Duration.ofDays(1).toNanos() / 1000;
		return -Math.floorDiv(-evaluator.limiter().peek(request).decisions().get(0).decision().resetTicks(), day);
	}

}
