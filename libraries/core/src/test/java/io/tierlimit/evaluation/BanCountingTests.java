package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.MissingKeyPolicy;
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
import io.tierlimit.option.adaptive.AdaptiveRules;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.StatusRange;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.option.wait.ReservationOptions;
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
import io.tierlimit.rule.Selection;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a rejection is counted for a ban only if the caller has caused it.
 */
class BanCountingTests {

	private static final Duration WITHIN = Duration.ofMinutes(1);

	private static final Scope PER_USER = new Scope(List.of(Scope.USER), null, MissingKeyPolicy.IP);

	/** The rule with which other rules are compared. */
	private static final Rule MILD = waiting(perUser("1/s"));

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	private static final SimpleCaller BOB = SimpleCaller.at("192.0.2.2").as("bob");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);

	@Test
	void callerThatIgnoresItsLimitIsBanned() {
		TestEvaluator evaluator = evaluator(perUser("10/h"));
		send(evaluator, 10);
		assertThat(isBannedAfter(evaluator, 2)).isFalse();
		assertThat(isBannedAfter(evaluator, 1)).isTrue();
	}

	@Test
	void rejectionsUnderAReducedRateAreNotCounted() {
		Rule adaptive = AdaptiveRules.rule("r", 10, 1).withErrors(0).build();
		TestEvaluator evaluator = evaluator(perUser("10/s")
			.options((options) -> options.with(Objects.requireNonNull(adaptive.options().find(AdaptivePolicy.class)))));
		failForTenCallers(evaluator);
		evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(Duration.ofHours(1));
		for (int i = 0; i < 100; i++) {
			this.ticker.advance(Duration.ofSeconds(1));
			evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
		}
		send(evaluator, 10);
		assertThat(isBannedAfter(evaluator, 3)).as("at the full rate").isTrue();
	}

	@Test
	void rejectionsAfterAReloadThatLowersTheLimitAreNotCountedForTheWindow() {
		TestEvaluator evaluator = evaluator(perUser("10/h"));
		evaluator.replace(perUser("5/h"));
		send(evaluator, 5);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		evaluator.replace(perUser("5/h"));
		assertThat(isBannedAfter(evaluator, 20)).as("another reload").isFalse();
		this.ticker.advance(WITHIN);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void rejectionsAfterAReloadThatRaisesTheLimitAreCounted() {
		TestEvaluator evaluator = evaluator(perUser("5/h"));
		evaluator.replace(perUser("10/h"));
		send(evaluator, 10);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void rejectionsAfterAReducedRateAreNotCountedForTheWindow() {
		Rule adaptive = AdaptiveRules.rule("r", 10, 1).withErrors(0).build();
		Rule perUser = new Rule("r", Selection.ALL_REQUESTS, PER_USER,
				new RuleLimits(new TokenBucket(Rate.parse("10/s"), 1000)))
			.options((options) -> options.with(new Banning(BanPolicy.of(3, WITHIN, WITHIN, WITHIN)))
				.with(Objects.requireNonNull(adaptive.options().find(AdaptivePolicy.class))));
		TestEvaluator evaluator = evaluator(perUser);
		send(evaluator, 1000);
		failForTenCallers(evaluator);
		evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
		for (int i = 0; i < 100; i++) {
			this.ticker.advance(Duration.ofSeconds(1));
			evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
			if (evaluator.adaptiveRate("r").share().doubleValue() == 1) {
				break;
			}
		}
		evaluator.replace(perUser);
		assertThat(evaluator.adaptiveRate("r").share()).isEqualByComparingTo("1");
		assertThat(isBannedAfter(evaluator, 20)).as("the bucket was refilled at a reduced rate").isFalse();
		this.ticker.advance(WITHIN);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@ParameterizedTest
	@MethodSource("stricterRules")
	void rejectionsAfterAReloadThatMakesTheRuleStricterAreNotCountedForTheWindow(Rule stricter) {
		TestEvaluator evaluator = evaluator(new WaitQueue(20, (time) -> {
		}), MILD);
		evaluator.replace(stricter);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(WITHIN);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	static List<Rule> stricterRules() {
		ChargePolicy failures = new ChargePolicy(List.of(new StatusRange(401, 401)), List.of());
		return List.of(MILD.cost("2"), MILD.cost("1 + 1"),
				MILD.scope(new Scope(List.of(Scope.IP), null, MissingKeyPolicy.IP)),
				MILD.options(TestRules.where("method == 'GET'")),
				MILD.options((options) -> options.without(ReservationOptions.class)),
				MILD.options((options) -> options.with(failures)),
				MILD.options((options) -> options.with(new Schedule(List.of(), List.of(), ZoneOffset.UTC))));
	}

	@Test
	void rejectionsAfterAReloadThatMakesTheRuleMilderAreCounted() {
		TestEvaluator evaluator = evaluator(
				MILD.cost("2").options((options) -> options.without(ReservationOptions.class)));
		evaluator.replace(MILD);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@ParameterizedTest
	@MethodSource("overrides")
	void rejectionsAfterTheEndOfAnOverrideAreNotCountedForTheWindow(CallerOverride override) {
		TestEvaluator evaluator = evaluator(perUser("5/h"));
		evaluator.replace(with(override));
		evaluator.replace(perUser("5/h"));
		evaluator.replace(perUser("5/h"));
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		assertThat(isBannedAfter(evaluator, BOB, 3)).as("another user").isTrue();
		this.ticker.advance(WITHIN);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	static List<CallerOverride> overrides() {
		return List.of(limit("a", Kind.USER, "alice", "10/h"), limit("a", Kind.KEY, "user:alice", "10/h"),
				limit("a", Kind.ADDRESS, "192.0.2.1", "10/h"), unlimited(Kind.USER, "alice"));
	}

	@Test
	void rejectionsAfterTheTimeOfAnOverrideAreNotCountedForTheWindow() {
		CallerOverride override = new CallerOverride("a", new Target(Kind.USER, List.of("alice")), Set.of("r"),
				Effect.LIMIT, limits("10/h"), now().plus(WITHIN), null);
		CallerOverride forever = new CallerOverride("b", new Target(Kind.USER, List.of("bob")), Set.of("r"),
				Effect.UNLIMITED, Map.of(), Instant.MAX, null);
		TestEvaluator evaluator = evaluator(perUser("5/h"));
		evaluator.replace(with(override, forever));
		this.ticker.advance(WITHIN);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(WITHIN);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void rejectionsUnderAnOverrideThatIsLoweredAreNotCountedForTheWindow() {
		TestEvaluator evaluator = evaluator(perUser("5/h"));
		evaluator.replace(with(limit("a", Kind.USER, "alice", "20/h")));
		this.ticker.advance(WITHIN);
		evaluator.replace(with(limit("a", Kind.USER, "alice", "10/h")));
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(WITHIN);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void rejectionsUnderAnUnchangedOverrideAreCounted() {
		TestEvaluator evaluator = evaluator(perUser("5/h"));
		evaluator.replace(with(limit("a", Kind.USER, "alice", "10/h")));
		this.ticker.advance(WITHIN);
		evaluator.replace(with(limit("other", Kind.USER, "alice", "10/h"), limit("b", Kind.USER, "bob", "10/h")));
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void rejectionsAfterTheBeginningOfTheTimesOfARuleAreNotCountedForTheWindow() {
		Instant beginning = now().plus(WITHIN);
		Rule later = perUser("5/h").options((options) -> options
			.with(new Schedule(List.of(new TimeRange(beginning, null)), List.of(), ZoneOffset.UTC)));
		TestEvaluator evaluator = evaluator(later);
		send(evaluator, 20);
		this.ticker.advance(WITHIN);
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(WITHIN.minusMillis(1));
		assertThat(isBannedAfter(evaluator, 20)).isFalse();
		this.ticker.advance(Duration.ofMillis(1));
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void banLastsUntilItsEndAlthoughTheRuleDoesNotApplyInBetween() {
		Instant end = now().plusSeconds(1);
		Rule twice = perUser("5/h").options((options) -> options
			.with(new Schedule(List.of(new TimeRange(null, end), new TimeRange(end.plusSeconds(10), null)), List.of(),
					ZoneOffset.UTC)));
		TestEvaluator evaluator = evaluator(twice);
		send(evaluator, 5);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(evaluate(evaluator)).as("the rule does not apply").isEqualTo(Verdict.UNLIMITED);
		this.ticker.advance(Duration.ofSeconds(10));
		assertThat(evaluate(evaluator).banned()).isTrue();
	}

	@Test
	void rejectionByAShadowRuleIsCountedOnceForARequestWithoutASlot() {
		Rule shadow = new Rule("shadow", Selection.ALL_REQUESTS, PER_USER,
				new RuleLimits(new TokenBucket(Rate.parse("1/h"), 1)))
			.options((options) -> options.mode(RuleMode.SHADOW)
				.with(new Banning(BanPolicy.of(3, WITHIN, WITHIN, WITHIN))));
		TestEvaluator evaluator = evaluator(new WaitQueue(1, (time) -> {
		}), shadow, waiting(perUser("1/s")));
		assertThat(evaluate(evaluator).delay()).isZero();
		assertThat(evaluate(evaluator).delay()).as("1st rejection in shadow mode").isPositive();
		Verdict second = evaluate(evaluator);
		assertThat(second.allowed()).as("no slot").isFalse();
		assertThat(second.decisions()).extracting(RuleDecision::outcome)
			.containsExactly(RuleOutcome.SHADOW_REJECTED, RuleOutcome.REJECTED);
		assertThat(second.decisions().get(0).banned()).as("2nd rejection").isFalse();
		assertThat(evaluate(evaluator).decisions().get(0).decision().ban()).as("3rd rejection")
			.isNotNull()
			.satisfies((ban) -> assertThat(ban.started()).isTrue());
		assertThat(evaluate(evaluator).decisions().get(0).decision().ban()).as("the active ban")
			.isNotNull()
			.satisfies((ban) -> assertThat(ban.started()).isFalse());
	}

	@Test
	void requestThatWaitsIsServedAlthoughItsCallerIsBannedDuringTheWait() {
		List<Runnable> duringWaits = new ArrayList<>();
		WaitQueue queue = new WaitQueue(20, (time) -> duringWaits.forEach(Runnable::run));
		TestEvaluator evaluator = evaluator(queue, waiting(perUser("1/s")));
		send(evaluator, 1);
		RateLimitTransaction waiting = evaluator.begin(ALICE);
		Verdict verdict = waiting.evaluate(evaluator.matched(), Stage.ALL);
		duringWaits.add(() -> assertThat(isBannedAfter(evaluator, 20)).isTrue());
		waiting.await(verdict);
		assertThat(waiting.verdict().allowed()).isTrue();
		assertThat(evaluate(evaluator).banned()).as("does not wait").isTrue();
	}

	@Test
	void eachPlanHasItsOwnBan() {
		RuleLimits plans = new RuleLimits(new TokenBucket(Rate.parse("5/h")),
				Map.of("pro", new PlanLimit(new TokenBucket(Rate.parse("10/h")))));
		TestEvaluator evaluator = evaluator(new Rule("r", Selection.ALL_REQUESTS, PER_USER, plans)
			.options((options) -> options.with(new Banning(BanPolicy.of(3, WITHIN, WITHIN, WITHIN)))));
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
		assertThat(evaluate(evaluator, ALICE.on("pro")).allowed()).as("another bucket").isTrue();
		assertThat(evaluate(evaluator).banned()).as("back again").isTrue();
	}

	@Test
	void candidateStartsNoBanAndARequestDuringABanIsNotCompared() {
		RuleLimits twenty = new RuleLimits(new TokenBucket(Rate.parse("20/h")));
		TestEvaluator evaluator = evaluator(
				perUser("5/h").options((options) -> options.with(new CandidateLimits(twenty))));
		send(evaluator, 5);
		for (int i = 0; i < 3; i++) {
			evaluator.evaluator().publish(evaluate(evaluator), ALICE);
		}
		Verdict banned = evaluate(evaluator);
		evaluator.evaluator().publish(banned, ALICE);
		assertThat(banned.banned()).isTrue();
		assertThat(banned.decisions().get(1).banned()).isFalse();
		assertThat(evaluator.describe("r").get("candidate")).as("the last rejection by the rule starts the ban")
			.hasToString("{id=r.candidate, compared=3, rejectedOnlyByCandidate=0, rejectedOnlyByRule=3, "
					+ "rejectedMorePercent=-100.0}");
	}

	@Test
	void rejectionsOfConditionalChargesAreCountedAndARefundLiftsNoBan() {
		ChargePolicy failures = new ChargePolicy(List.of(new StatusRange(401, 401)),
				List.of(new StatusRange(204, 204)));
		TestEvaluator evaluator = evaluator(perUser("5/h").options((options) -> options.with(failures)));
		List<RateLimitTransaction> inFlight = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			inFlight.add(evaluator.begin(ALICE));
			assertThat(inFlight.get(i).evaluate(evaluator.matched(), Stage.ALL).allowed()).isTrue();
		}
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
		inFlight.get(0).complete(RequestOutcome.answered(200));
		inFlight.get(1).complete(RequestOutcome.answered(204));
		assertThat(evaluate(evaluator).banned()).isTrue();
		this.ticker.advance(WITHIN);
		assertThat(evaluate(evaluator).allowed()).as("refunded during the ban").isTrue();
	}

	@Test
	void rejectionsForLackOfASlotAreNotCounted() {
		WaitQueue queue = new WaitQueue(20, (time) -> {
		});
		TestEvaluator evaluator = evaluator(queue, waiting(perUser("1/s")));
		send(evaluator, 1);
		List<Verdict> waiting = List.of(evaluate(evaluator), evaluate(evaluator));
		assertThat(waiting).allMatch(Verdict::allowed);
		assertThat(isBannedAfter(evaluator, 10)).as("would wait for 3 s of 10 s, but two requests wait already")
			.isFalse();
		queue.await(waiting.get(0), (time) -> {
		}, () -> {
		});
		assertThat(evaluate(evaluator).allowed()).as("a free slot").isTrue();
	}

	@Test
	void callerThatFloodsIsBannedAlthoughItsRequestsFindNoSlot() {
		TestEvaluator evaluator = evaluator(new WaitQueue(20, (time) -> {
		}), waiting(perUser("1/s")));
		send(evaluator, 3);
		assertThat(isBannedAfter(evaluator, 10)).as("as many as could wait for 10 s").isFalse();
		assertThat(isBannedAfter(evaluator, 3)).as("more than could ever wait").isTrue();
	}

	@Test
	void callersOfAPlanShareNoTenthOfTheSlots() {
		Rule perPlan = new Rule("r", Selection.ALL_REQUESTS, new Scope(List.of(Scope.PLAN), null, MissingKeyPolicy.IP),
				new RuleLimits(new TokenBucket(Rate.parse("1/s"))));
		TestEvaluator evaluator = evaluator(new WaitQueue(10, (time) -> {
		}), waiting(perPlan));
		send(evaluator, 11);
		assertThat(evaluate(evaluator).allowed()).isFalse();
	}

	@Test
	void rejectionsBeyondTheMaximumWaitAreCounted() {
		TestEvaluator evaluator = evaluator(new WaitQueue(1000, (time) -> {
		}), waiting(perUser("1/s")));
		for (int i = 0; i < 11; i++) {
			assertThat(evaluate(evaluator).allowed()).isTrue();
		}
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	@Test
	void callersThatWaitDoNotHaveOthersBanned() {
		TestEvaluator evaluator = evaluator(new WaitQueue(10, (time) -> {
		}), waiting(perUser("1/s")));
		for (int i = 0; i < 10; i++) {
			SimpleCaller other = SimpleCaller.at("192.0.2.1").as("user" + i);
			evaluate(evaluator, other);
			assertThat(evaluate(evaluator, other).delay()).isEqualTo(Duration.ofSeconds(1));
		}
		send(evaluator, 1);
		assertThat(isBannedAfter(evaluator, 20)).as("would wait, but all slots are occupied").isFalse();
		assertThat(evaluate(evaluator).allowed()).isFalse();
	}

	@Test
	void withoutSlotsAllRejectionsAreCounted() {
		TestEvaluator evaluator = evaluator(WaitQueue.NONE, waiting(perUser("1/s")));
		send(evaluator, 1);
		assertThat(isBannedAfter(evaluator, 3)).isTrue();
	}

	private static void failForTenCallers(TestEvaluator evaluator) {
		for (int i = 0; i < 10; i++) {
			RateLimitTransaction transaction = evaluator.begin(SimpleCaller.at("192.0.2.1").as("user" + i));
			transaction.begin(transaction.evaluate(evaluator.matched(), Stage.ALL));
			transaction.complete(RequestOutcome.answered(500));
		}
	}

	private static RuleSet with(CallerOverride... overrides) {
		return new RuleSet(List.of(perUser("5/h"))).overrides(List.of(overrides));
	}

	private static CallerOverride limit(String id, Kind kind, String value, String rate) {
		return new CallerOverride(id, new Target(kind, List.of(value)), Set.of("r"), Effect.LIMIT, limits(rate), null,
				null);
	}

	private static Map<String, Limit> limits(String rate) {
		return Map.of("r", new TokenBucket(Rate.parse(rate)));
	}

	private static CallerOverride unlimited(Kind kind, String value) {
		return new CallerOverride("a", new Target(kind, List.of(value)), Set.of(), Effect.UNLIMITED, Map.of(), null,
				null);
	}

	private static Rule perUser(String rate) {
		return new Rule("r", Selection.ALL_REQUESTS, PER_USER, new RuleLimits(new TokenBucket(Rate.parse(rate))))
			.options((options) -> options.with(new Banning(BanPolicy.of(3, WITHIN, WITHIN, WITHIN))));
	}

	private static Rule waiting(Rule rule) {
		return rule.options((options) -> options.with(new ReservationOptions(0, Duration.ofSeconds(10))));
	}

	private TestEvaluator evaluator(Rule rule) {
		return evaluator(WaitQueue.NONE, rule);
	}

	private TestEvaluator evaluator(WaitQueue queue, Rule... rules) {
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS,
				StandardOptions.of(this::now, Map.of(), this.ticker));
		return new TestEvaluator(new ActiveRules(compiler, new RuleSet(List.of(rules))),
				new RateLimitEvaluator(this.store, VerdictPublisher.NONE, queue));
	}

	/** A clock that advances with the ticker. */
	private Instant now() {
		return Instant.parse("2030-01-01T00:00:00Z").plus(this.ticker.ticks(), ChronoUnit.MICROS);
	}

	private static Verdict evaluate(TestEvaluator evaluator) {
		return evaluate(evaluator, ALICE);
	}

	private static Verdict evaluate(TestEvaluator evaluator, SimpleCaller caller) {
		return evaluator.begin(caller).evaluate(evaluator.matched(), Stage.ALL);
	}

	private static void send(TestEvaluator evaluator, int requests) {
		for (int i = 0; i < requests; i++) {
			assertThat(evaluate(evaluator).allowed()).isTrue();
		}
	}

	/**
	 * Sends requests until this number of them is rejected. Returns whether one is
	 * banned.
	 */
	private static boolean isBannedAfter(TestEvaluator evaluator, int rejections) {
		return isBannedAfter(evaluator, ALICE, rejections);
	}

	private static boolean isBannedAfter(TestEvaluator evaluator, SimpleCaller caller, int rejections) {
		boolean banned = false;
		for (int i = 0; i < rejections;) {
			Verdict verdict = evaluate(evaluator, caller);
			banned |= verdict.banned();
			i += verdict.allowed() ? 0 : 1;
		}
		return banned;
	}

}
