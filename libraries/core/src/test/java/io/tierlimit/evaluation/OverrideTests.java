package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.PermitRequest;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.MatchedRule.Handling;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Decision;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.share.EnforcedShare;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Overrides of users, networks and keys, decided by an evaluator.
 */
class OverrideTests extends SimulatedTraffic {

	private static final Rule PER_USER = rule("per-user", Scope.of("user"), new RuleLimits(TestRules.bucket(2),
			Map.of("pro", new PlanLimit(TestRules.bucket(5)), "max", PlanLimit.UNLIMITED)));

	private static final Rule PER_IP = rule("per-ip", Scope.of("ip"), new RuleLimits(TestRules.bucket(20)));

	private static final Rule PER_KEY = rule("per-key", new Scope(List.of("user"), "header('X')", MissingKeyPolicy.IP),
			new RuleLimits(TestRules.bucket(3)));

	@Test
	void userHasAnotherLimit() {
		TestEvaluator evaluator = overriding(limit("a", Kind.USER, "alice", "per-user", 4), PER_USER, PER_IP);
		assertThat(allowed(evaluator, ALICE, 10)).isEqualTo(4);
		assertThat(allowed(evaluator, ALICE.as("bob"), 10)).isEqualTo(2);
		assertThat(evaluator.remaining(PermitRequest.of("per-ip").ip("192.0.2.1"))).isEqualTo(14);
	}

	@Test
	void limitOfAnOverrideReplacesTheLimitOfThePlan() {
		CallerOverride override = limit("a", Kind.USER, "alice", "per-user", 3);
		assertThat(allowed(overriding(override, PER_USER), ALICE.on("pro"), 10)).isEqualTo(3);
		assertThat(allowed(overriding(override, PER_USER), ALICE.on("max"), 10)).isEqualTo(3);
		assertThat(allowed(overriding(override, PER_USER), ALICE.as("bob").on("max"), 10)).isEqualTo(10);
	}

	@Test
	void userIsBlockedEvenByARuleThatIsNotEnforcedForItsKey() {
		for (String user : List.of("alice", "bob", "carol", "dave", "erin")) {
			CallerOverride block = effect(user, Effect.BLOCKED);
			Rule hardlyEnforced = with(PER_USER, new EnforcedShare(0.00001));
			assertThat(allowed(overriding(block, hardlyEnforced), ALICE.as(user), 3)).isZero();
			assertThat(allowed(overriding(block, hardlyEnforced), ALICE.as("other"), 9)).as("in shadow mode")
				.isEqualTo(9);
		}
	}

	@Test
	void otherLimitIsNotComparedWithACandidate() {
		Rule compared = with(PER_USER, new CandidateLimits(new RuleLimits(TestRules.bucket(1))));
		TestEvaluator evaluator = overriding(limit("a", Kind.USER, "alice", "per-user", 4), compared);
		assertThat(evaluator.limiter().tryAcquire(PermitRequest.of("per-user").user("alice")).decisions()).hasSize(1);
		assertThat(evaluator.limiter().tryAcquire(PermitRequest.of("per-user").user("bob")).decisions()).hasSize(2);
	}

	@Test
	void bucketOfAnUnlimitedCallerCanBeReset() {
		TestEvaluator evaluator = evaluator(PER_USER);
		assertThat(allowed(evaluator, ALICE, 2)).isEqualTo(2);
		CallerOverride unlimited = effect("alice", Effect.UNLIMITED);
		evaluator.replace(overridden(PER_USER, unlimited));
		BucketLookup lookup = new BucketLookup(evaluator.activeRules(), evaluator.evaluator());
		CompiledRule rule = evaluator.rule("per-user");
		assertThat(lookup.find(rule, Map.of("user", "alice"), "none")).hasSize(1);
		List<RuleDecision> buckets = lookup.findOf(rule, "alice", null, "none");
		assertThat(buckets).singleElement().satisfies((bucket) -> assertThat(bucket.decision().remaining()).isZero());
		assertThat(lookup.reset(buckets)).isTrue();
		evaluator.replace(PER_USER);
		assertThat(allowed(evaluator, ALICE, 3)).isEqualTo(2);
	}

	@Test
	void eachAddressInANetworkHasTheOtherLimit() {
		TestEvaluator evaluator = overriding(limit("a", Kind.ADDRESS, "192.0.2.0/24", "per-ip", 30), PER_IP);
		assertThat(allowed(evaluator, SimpleCaller.at("192.0.2.1"), 40)).isEqualTo(30);
		assertThat(allowed(evaluator, SimpleCaller.at("192.0.2.8"), 40)).isEqualTo(30);
		assertThat(allowed(evaluator, SimpleCaller.at("192.0.3.8"), 40)).isEqualTo(20);
	}

	@Test
	void smallestNetworkWins() {
		TestEvaluator evaluator = overriding(
				List.of(override("all", Kind.ADDRESS, "192.0.2.0/24", Effect.BLOCKED, null),
						limit("one", Kind.ADDRESS, "192.0.2.1", "per-ip", 3),
						override("other", Kind.ADDRESS, "192.0.2.8", Effect.UNLIMITED, null)),
				PER_IP);
		assertThat(allowed(evaluator, SimpleCaller.at("192.0.2.1"), 10)).isEqualTo(3);
		assertThat(allowed(evaluator, SimpleCaller.at("192.0.2.8"), 100)).isEqualTo(100);
		assertThat(allowed(evaluator, SimpleCaller.at("192.0.2.9"), 10)).isZero();
	}

	/** Tests a rule that is enforced for almost no key. */
	@Test
	void callerIsBlockedEvenIfItsPlanCannotBeRead() {
		Rule partial = rule("r", Scope.of("ip"),
				new RuleLimits(TestRules.bucket(2), Map.of("pro", new PlanLimit(TestRules.bucket(5)))))
			.options((options) -> options.with(new EnforcedShare(0.00001)));
		TestEvaluator evaluator = overriding(override("a", Kind.ADDRESS, "192.0.2.1", Effect.BLOCKED, null), partial);
		MatchedRule match = new MatchedRule(evaluator.rule("r"), null);
		assertThat(evaluator.evaluate(List.of(match), withoutReadablePlan("192.0.2.1")).outcome())
			.isEqualTo(Outcome.INVALID);
		assertThat(
				evaluator.evaluate(List.of(match.with(Handling.PREFLIGHT)), withoutReadablePlan("192.0.2.1")).outcome())
			.isEqualTo(Outcome.REJECTED);
		assertThat(evaluator.evaluate(List.of(match), withoutReadablePlan("192.0.2.8")).allowed()).isTrue();
	}

	@Test
	void planThatCannotBeReadIsReportedWhateverOptionsTheRuleHas() {
		Scope plan = new Scope(List.of("plan"), null, MissingKeyPolicy.SKIP);
		TestEvaluator evaluator = evaluator(rule("r", plan, new RuleLimits(TestRules.bucket(2))));
		assertThat(evaluator.evaluate(evaluator.matched("r"), withoutReadablePlan("192.0.2.1")).outcome())
			.isEqualTo(Outcome.INVALID);
	}

	private static Caller withoutReadablePlan(String ip) {
		return new Caller() {

			@Override
			public String ip() {
				return ip;
			}

			@Override
			public @Nullable String plan() {
				throw new InvalidRequestValueException("on purpose", null);
			}

		};
	}

	@Test
	void keyWinsOverUserAndUserWinsOverAddress() {
		CallerOverride address = override("address", Kind.ADDRESS, "192.0.2.1", Effect.BLOCKED, null);
		CallerOverride user = limit("user", Kind.USER, "alice", "per-key", 5);
		CallerOverride key = new CallerOverride("key", new Target(Kind.KEY, List.of("user:alice", "key:k")),
				Set.of("per-key"), Effect.LIMIT, Map.of("per-key", TestRules.bucket(7)), null, null);
		SimpleCaller withKey = ALICE.sending(Map.of("X", "k"), Map.of());
		SimpleCaller other = ALICE.sending(Map.of("X", "other"), Map.of());
		TestEvaluator evaluator = overriding(List.of(address, user, key), PER_KEY);
		assertThat(allowed(evaluator, withKey, 10)).isEqualTo(7);
		assertThat(allowed(evaluator, other, 10)).isEqualTo(5);
		assertThat(allowed(evaluator, other.as("bob"), 10)).isZero();
	}

	@Test
	void keyOfARuleWithPlansStandsForTheKeyOnEachPlan() {
		CallerOverride key = new CallerOverride("key", new Target(Kind.KEY, List.of("user:alice")), Set.of("per-user"),
				Effect.BLOCKED, Map.of(), null, null);
		TestEvaluator evaluator = overriding(key, PER_USER);
		assertThat(allowed(evaluator, ALICE, 1)).isZero();
		assertThat(allowed(evaluator, ALICE.on("pro"), 1)).isZero();
		assertThat(allowed(evaluator, ALICE.as("bob").on("pro"), 1)).isEqualTo(1);
	}

	/** An annotation may replace the key of the rule that it names. */
	@Test
	void keyDoesNotConcernAVariantOfTheRuleWithOtherParts() {
		CallerOverride key = new CallerOverride("key", new Target(Kind.KEY, List.of("user:alice")), Set.of("per-user"),
				Effect.BLOCKED, Map.of(), null, null);
		TestEvaluator evaluator = overriding(key, PER_USER);
		Rule byHeader = PER_USER.scope(new Scope(List.of(), "header('X')", MissingKeyPolicy.IP));
		SimpleCaller caller = ALICE.sending(Map.of("X", "alice"), Map.of());
		List<MatchedRule> variant = List.of(new MatchedRule(evaluator.variant(byHeader, List.of()), null));
		assertThat(evaluator.evaluate(variant, caller).allowed()).isTrue();
		assertThat(evaluator.evaluate(caller).allowed()).isFalse();
	}

	@Test
	void unlimitedCallerIsNotCharged() {
		TestEvaluator evaluator = overriding(effect("alice", Effect.UNLIMITED), PER_USER, PER_IP);
		assertThat(evaluator.evaluate(ALICE)).isEqualTo(Verdict.UNLIMITED);
		assertThat(evaluator.remaining(PermitRequest.of("per-ip").ip("192.0.2.1"))).isEqualTo(20);
	}

	@Test
	void anotherLimitDoesNotLiftABanButAnUnlimitedCallerIsNotChecked() {
		Rule banning = PER_USER.options((options) -> options
			.with(new Banning(BanPolicy.of(1, Duration.ofMinutes(1), Duration.ofMinutes(10), Duration.ofMinutes(10)))));
		TestEvaluator evaluator = evaluator(banning);
		assertThat(allowed(evaluator, ALICE, 3)).isEqualTo(2);
		evaluator.replace(overridden(banning, limit("a", Kind.USER, "alice", "per-user", 100)));
		assertThat(allowed(evaluator, ALICE, 3)).isZero();
		evaluator.replace(overridden(banning, effect("alice", Effect.UNLIMITED)));
		assertThat(allowed(evaluator, ALICE, 3)).isEqualTo(3);
		evaluator.replace(banning);
		assertThat(allowed(evaluator, ALICE, 3)).isZero();
	}

	@Test
	void overrideConcernsOnlyItsRules() {
		CallerOverride unlimited = new CallerOverride("a", new Target(Kind.USER, List.of("alice")), Set.of("per-user"),
				Effect.UNLIMITED, Map.of(), null, null);
		assertThat(allowed(overriding(unlimited, PER_USER, PER_IP), ALICE, 100)).isEqualTo(20);
	}

	@Test
	void blockedCallerIsRejectedAndNothingIsConsumed() {
		CallerOverride blocked = new CallerOverride("a", new Target(Kind.USER, List.of("alice")), Set.of("per-user"),
				Effect.BLOCKED, Map.of(), now().plus(Duration.ofNanos(90_000_000_001L)), null);
		TestEvaluator evaluator = overriding(blocked, PER_USER, PER_IP);
		Verdict verdict = evaluator.evaluate(ALICE);
		assertThat(verdict.outcome()).isEqualTo(Outcome.REJECTED);
		assertThat(verdict.blocked()).isTrue();
		assertThat(verdict.banned()).isFalse();
		RuleDecision decision = verdict.violated().get(0);
		assertThat(decision.rule()).isEqualTo("per-user");
		assertThat(decision.key()).isEqualTo("alice|(none)");
		assertThat(decision.decision().retryAfterTicks()).isEqualTo(90_000_001);
		assertThat(evaluator.remaining(PermitRequest.of("per-ip").ip("192.0.2.1"))).isEqualTo(20);
		assertThat(allowed(evaluator, ALICE.on("max"), 1)).isZero();
	}

	@Test
	void blockWithoutEndIsForever() {
		TestEvaluator evaluator = overriding(effect("alice", Effect.BLOCKED), PER_USER);
		Decision decision = evaluator.evaluate(ALICE).violated().get(0).decision();
		assertThat(decision.neverAllowed()).isTrue();
		assertThat(decision.remaining()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "2030-01-01T00:00:00.000000001Z, 1", "2030-01-01T00:00:01Z, 1000000",
			"9999-12-31T23:59:59.999999Z, 251508844799999999", "+999999999-12-31T00:00:00Z, 9223372036854775807" })
	void anyEndOfABlockIsPossible(Instant until, long ticks) {
		TestEvaluator evaluator = overriding(effect("alice", Effect.BLOCKED, until), PER_USER);
		assertThat(evaluator.evaluate(ALICE).violated().get(0).decision().retryAfterTicks()).isEqualTo(ticks);
	}

	@Test
	void blockIsDecidedWithoutTheStore() {
		TestEvaluator evaluator = evaluator(new InMemoryBucketStore(() -> {
			throw new AssertionError("The store was called");
		}, 10), WaitQueue.NONE,
				new RuleSet(List.of(PER_USER, PER_IP)).overrides(List.of(effect("alice", Effect.BLOCKED))));
		assertThat(evaluator.evaluate(ALICE).outcome()).isEqualTo(Outcome.REJECTED);
	}

	@Test
	void nothingIsOverriddenAfterTheEnd() {
		CallerOverride blocked = effect("alice", Effect.BLOCKED, now().plusSeconds(10));
		CallerOverride unlimited = override("b", Kind.USER, "alice", Effect.UNLIMITED, now().plusSeconds(20));
		TestEvaluator evaluator = overriding(List.of(blocked, unlimited), PER_USER);
		assertThat(allowed(evaluator, ALICE, 1)).isZero();
		this.ticker.advance(Duration.ofSeconds(10));
		assertThat(allowed(evaluator, ALICE, 10)).isEqualTo(10);
		this.ticker.advance(Duration.ofSeconds(10));
		assertThat(allowed(evaluator, ALICE, 10)).isEqualTo(2);
	}

	@Test
	void shadowRuleRejectsNoBlockedCaller() {
		Rule shadow = shadow(PER_USER);
		TestEvaluator evaluator = overriding(effect("alice", Effect.BLOCKED), shadow, PER_IP);
		assertThat(evaluator.evaluate(ALICE).outcome()).isEqualTo(Outcome.REJECTED);
		assertThat(evaluator.evaluate(ALICE).violated()).extracting(RuleDecision::rule).containsExactly("per-ip");
		TestEvaluator alone = overriding(effect("alice", Effect.BLOCKED), shadow);
		assertThat(allowed(alone, ALICE, 10)).isEqualTo(10);
	}

	@Test
	void permitRequestHasTheOverridesOfItsKey() {
		TestEvaluator evaluator = overriding(List.of(limit("a", Kind.USER, "alice", "per-user", 4),
				override("b", Kind.ADDRESS, "192.0.2.0/24", Effect.BLOCKED, null), effect("carol", Effect.UNLIMITED)),
				PER_USER, PER_IP);
		assertThat(evaluator.remaining(PermitRequest.of("per-user").user("alice"))).isEqualTo(4);
		assertThat(evaluator.remaining(PermitRequest.of("per-user").user("bob"))).isEqualTo(2);
		PermitRequest blocked = PermitRequest.of("per-ip").ip("192.0.2.1");
		assertThat(evaluator.limiter().tryAcquire(blocked).allowed()).isFalse();
		assertThat(evaluator.limiter().peek(blocked).allowed()).isFalse();
		assertThat(evaluator.limiter().tryAcquire(PermitRequest.of("per-user").user("carol").cost(99)))
			.isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void operatorsAndCallersSeeTheOtherLimit() {
		TestEvaluator evaluator = overriding(limit("a", Kind.USER, "alice", "per-user", 4), PER_USER, PER_IP);
		allowed(evaluator, ALICE, 1);
		BucketLookup lookup = new BucketLookup(evaluator.activeRules(), evaluator.evaluator());
		assertThat(lookup.findOf(evaluator.rule("per-user"), "alice", null, "pro"))
			.extracting((decision) -> decision.limit().capacity())
			.containsExactly(4L);
		Verdict own = new CallerLimits(evaluator.activeRules(), evaluator.evaluator()).of(ALICE);
		assertThat(own.decisions()).extracting((decision) -> decision.decision().remaining()).containsExactly(3L, 19L);
	}

	@Test
	void storedBucketGetsTheOtherLimitAtOnce() {
		TestEvaluator evaluator = evaluator(PER_USER);
		assertThat(allowed(evaluator, ALICE, 10)).isEqualTo(2);
		evaluator.replace(overridden(PER_USER, limit("a", Kind.USER, "alice", "per-user", 6)));
		assertThat(allowed(evaluator, ALICE, 10)).isEqualTo(4);
	}

	@Test
	void blockDoesNotDependOnAKeyThatCanBeResolved() {
		Rule perPrefix = rule("per-prefix", new Scope(List.of(), "header('X').substring(0, 9)", MissingKeyPolicy.DENY),
				new RuleLimits(TestRules.bucket(5)))
			.options((options) -> options.with(new EnforcedShare(0.00001)));
		CallerOverride block = override("a", Kind.ADDRESS, "192.0.2.1", Effect.BLOCKED, null);
		CallerOverride key = new CallerOverride("key", new Target(Kind.KEY, List.of("key:long-enough")),
				Set.of("per-prefix"), Effect.UNLIMITED, Map.of(), null, null);
		TestEvaluator evaluator = overriding(List.of(block, key), perPrefix);
		SimpleCaller invalid = ALICE.sending(Map.of("X", "short"), Map.of());
		assertThat(evaluator.evaluate(invalid).allowed()).isFalse();
		assertThat(evaluator.evaluate(ALICE).allowed()).isFalse();
	}

	@Test
	void preflightOfABlockedAddressIsRejected() {
		Rule perHeader = rule("per-header", new Scope(List.of(), "header('X')", MissingKeyPolicy.DENY),
				new RuleLimits(TestRules.bucket(5)));
		TestEvaluator evaluator = overriding(override("a", Kind.ADDRESS, "192.0.2.1", Effect.BLOCKED, null), perHeader);
		List<MatchedRule> matched = List
			.of(new MatchedRule(evaluator.rule("per-header"), null).with(Handling.PREFLIGHT));
		assertThat(evaluator.evaluate(matched, ALICE).outcome()).isEqualTo(Outcome.REJECTED);
		assertThat(evaluator.evaluate(matched, SimpleCaller.at("192.0.2.8")).allowed()).isTrue();
	}

	/** A rule that an annotation adds late has no limit in the override. */
	@Test
	void ruleWithoutALimitInTheOverrideKeepsItsOwn() {
		TestEvaluator evaluator = overriding(limit("a", Kind.USER, "alice", "per-user", 4), PER_USER);
		evaluator.add(rule("late", Scope.of("user"), new RuleLimits(TestRules.bucket(1))), List.of());
		assertThat(allowed(evaluator, ALICE, 10)).isEqualTo(1);
	}

	private static CallerOverride limit(String id, Kind kind, String value, String rule, long permits) {
		return new CallerOverride(id, new Target(kind, List.of(value)), Set.of(rule), Effect.LIMIT,
				Map.of(rule, TestRules.bucket(permits)), null, null);
	}

	private static CallerOverride override(String id, Kind kind, String value, Effect effect, @Nullable Instant until) {
		return new CallerOverride(id, new Target(kind, List.of(value)), Set.of(), effect, Map.of(), until, null);
	}

	private TestEvaluator overriding(CallerOverride override, Rule... rules) {
		return overriding(List.of(override), rules);
	}

	private TestEvaluator overriding(List<CallerOverride> overrides, Rule... rules) {
		return evaluator(new InMemoryBucketStore(this.ticker, 100), WaitQueue.NONE,
				new RuleSet(List.of(rules)).overrides(overrides));
	}

	private static Rule rule(String id, Scope scope, RuleLimits limits) {
		return TestRules.rule(id, limits).scope(scope);
	}

}
