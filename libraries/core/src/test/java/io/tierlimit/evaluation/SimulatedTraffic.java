package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.tierlimit.PermitRequest;
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
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.shard.ShardedBuckets;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests to an evaluator whose clock, waits and background tasks are simulated. The
 * rule under test has the id {@code r}.
 */
abstract class SimulatedTraffic {

	static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	static final Duration MINUTE = Duration.ofMinutes(1);

	static final RequestOutcome OK = RequestOutcome.answered(200);

	static final RequestOutcome FAILURE = RequestOutcome.answered(500);

	static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	static final SimpleCaller BOB = SimpleCaller.at("192.0.2.2").as("bob");

	final SimulatedTicker ticker = new SimulatedTicker();

	final InMemoryBucketStore store = new InMemoryBucketStore(this.ticker, 100);

	/** The outcomes of all published decisions. */
	final List<RuleOutcome> published = new ArrayList<>();

	/** The results of all observed evaluations. */
	final List<Verdict> observed = new ArrayList<>();

	/** The tasks that send metered permits. */
	final List<Runnable> background = new ArrayList<>();

	final List<Duration> delays = new ArrayList<>();

	/** The time of the clock that delays the background tasks. */
	long nanoTime;

	Runnable duringWaits = () -> {
	};

	/** The value of the signal of adaptive rates. */
	boolean overloaded;

	/** A rule for each user. */
	static Rule perUser(String rate) {
		return perUser("r", bucket(rate));
	}

	static Rule perUser(String id, Limit limit) {
		return TestRules.rule(id, limit).scope(Scope.of(Scope.USER));
	}

	static Limit bucket(String rate) {
		return new TokenBucket(Rate.parse(rate));
	}

	static Rule with(Rule rule, OptionValue... values) {
		Rule changed = rule;
		for (OptionValue value : values) {
			changed = changed.options((options) -> options.with(value));
		}
		return changed;
	}

	static Rule shadow(Rule rule) {
		return rule.options((options) -> options.mode(RuleMode.SHADOW));
	}

	static Rule adaptive(Rule rule) {
		return with(rule, new AdaptivePolicy(Rate.parse("1/30d"), null, 0.0, "overload", MINUTE, "r", 0));
	}

	static Rule candidate(Rule rule, Limit limit) {
		return with(rule, new CandidateLimits(new RuleLimits(limit)));
	}

	static Rule waiting(Rule rule, Duration most) {
		return with(rule, new ReservationOptions(0, most));
	}

	/** A ban for a minute after three rejections within a minute. */
	static Rule banning(Rule rule) {
		return with(rule, new Banning(BanPolicy.of(3, MINUTE, MINUTE, MINUTE)));
	}

	/** Twice the rate for the plan pro, and no limit for the plan max. */
	static Rule plans(Rule rule) {
		Rate rate = rule.limits().standard().rate();
		Limit twice = new TokenBucket(new Rate(2 * rate.permits(), rate.period()));
		return plans(rule, Map.of("pro", new PlanLimit(twice), "max", PlanLimit.UNLIMITED));
	}

	static Rule plans(Rule rule, Map<String, PlanLimit> plans) {
		return new Rule(rule.id(), rule.selection(), rule.scope(), new RuleLimits(rule.limits().standard(), plans),
				rule.cost(), rule.options());
	}

	static Rule charging(Rule rule, String chargeOn, String... resetOn) {
		return with(rule, new ChargePolicy(List.of(OutcomeCondition.parse(chargeOn)),
				Stream.of(resetOn).map(OutcomeCondition::parse).toList()));
	}

	static Rule until(Instant end, Rule rule) {
		return during(rule, new TimeRange(null, end));
	}

	static Rule during(Rule rule, TimeRange... ranges) {
		return with(rule, new Schedule(List.of(ranges), List.of(), ZoneOffset.UTC));
	}

	static RuleSet overridden(Rule rule, CallerOverride... overrides) {
		return new RuleSet(List.of(rule)).overrides(List.of(overrides));
	}

	static CallerOverride limit(String user, Limit limit) {
		return limit(Kind.USER, user, limit, null);
	}

	static CallerOverride limit(Kind kind, String value, Limit limit, @Nullable Instant until) {
		return new CallerOverride(value, new Target(kind, List.of(value)), Set.of("r"), Effect.LIMIT,
				Map.of("r", limit), until, null);
	}

	static CallerOverride effect(String user, Effect effect) {
		return effect(user, effect, null);
	}

	static CallerOverride effect(String user, Effect effect, @Nullable Instant until) {
		return new CallerOverride(user, new Target(Kind.USER, List.of(user)), Set.of(), effect, Map.of(), until, null);
	}

	/** An evaluator whose requests may wait. */
	final TestEvaluator evaluator(Rule... rules) {
		return evaluator(queue(100), rules);
	}

	final TestEvaluator evaluator(WaitQueue queue, Rule... rules) {
		return evaluator(this.store, queue, rules);
	}

	final TestEvaluator evaluator(RuleSet rules) {
		return evaluator(this.store, queue(100), rules);
	}

	final TestEvaluator evaluator(BucketStore store, WaitQueue queue, Rule... rules) {
		return evaluator(store, queue, new RuleSet(List.of(rules)));
	}

	final TestEvaluator evaluator(BucketStore store, WaitQueue queue, RuleSet rules) {
		ShardedBuckets buckets = new ShardedBuckets(store, this.ticker);
		VerdictPublisher publisher = new VerdictPublisher((evaluation) -> {
			Verdict verdict = evaluation.get();
			this.observed.add(verdict);
			return verdict;
		}, () -> List.of((verdict, caller) -> verdict.decisions()
			.forEach((decision) -> this.published.add(decision.outcome()))));
		Metering metering = new Metering(buckets, () -> this.nanoTime, (delay, task) -> {
			this.delays.add(delay);
			this.background.add(task);
		});
		RuleCompiler compiler = new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS,
				StandardOptions.of(this::now, Map.of("overload", () -> this.overloaded), this.ticker));
		return new TestEvaluator(new ActiveRules(compiler, rules),
				new RateLimitEvaluator(buckets, publisher, queue, metering));
	}

	/** A queue whose waits advance the clock. */
	final WaitQueue queue(int slots) {
		return new WaitQueue(slots, (time) -> {
			this.ticker.advance(time);
			this.duringWaits.run();
		});
	}

	/** A clock that advances with the ticker. */
	final Instant now() {
		return START.plus(this.ticker.ticks(), ChronoUnit.MICROS);
	}

	final void runBackground() {
		List<Runnable> tasks = List.copyOf(this.background);
		this.background.clear();
		tasks.forEach(Runnable::run);
	}

	/** Evaluates a request that does not wait, with the rule {@code r}. */
	static Verdict evaluate(TestEvaluator evaluator, SimpleCaller caller) {
		return evaluate(evaluator, evaluator.begin(caller));
	}

	static Verdict evaluate(TestEvaluator evaluator, RateLimitTransaction transaction) {
		return transaction.evaluate(evaluator.matched("r"), Stage.ALL);
	}

	/** Begins a request that is allowed. */
	static RateLimitTransaction begin(TestEvaluator evaluator, SimpleCaller caller) {
		return begin(evaluator, caller, "r");
	}

	static RateLimitTransaction begin(TestEvaluator evaluator, SimpleCaller caller, String... rules) {
		RateLimitTransaction transaction = evaluator.begin(caller);
		Verdict verdict = transaction.evaluate(evaluator.matched(rules), Stage.ALL);
		assertThat(verdict.allowed()).isTrue();
		transaction.begin(verdict);
		return transaction;
	}

	static List<RateLimitTransaction> begin(int requests, TestEvaluator evaluator, SimpleCaller caller) {
		return IntStream.range(0, requests).mapToObj((i) -> begin(evaluator, caller)).toList();
	}

	static Verdict forward(TestEvaluator evaluator, RateLimitTransaction transaction) {
		return transaction.evaluateForward(evaluator.matched("r"), Stage.ALL);
	}

	/** Sends a request that waits for its permits and is answered with the status 200. */
	static Verdict send(TestEvaluator evaluator, SimpleCaller caller) {
		return send(evaluator, evaluator.matched("r"), caller);
	}

	private static Verdict send(TestEvaluator evaluator, List<MatchedRule> matched, SimpleCaller caller) {
		RateLimitTransaction transaction = evaluator.begin(caller);
		Verdict verdict = transaction.evaluate(matched, Stage.ALL);
		transaction.await(verdict);
		transaction.begin(verdict);
		transaction.complete(OK);
		return verdict;
	}

	/** Sends requests to which all rules apply, and returns how many are allowed. */
	static int allowed(TestEvaluator evaluator, SimpleCaller caller, int requests) {
		int allowed = 0;
		for (int i = 0; i < requests; i++) {
			allowed += send(evaluator, evaluator.matched(), caller).allowed() ? 1 : 0;
		}
		return allowed;
	}

	static void failForTenCallers(TestEvaluator evaluator) {
		for (int i = 0; i < 10; i++) {
			begin(evaluator, ALICE.as("user" + i)).complete(FAILURE);
		}
	}

	/** Reduces the adaptive rate by a fifth. */
	final void reduce(TestEvaluator evaluator) {
		this.overloaded = true;
		update(evaluator);
		assertThat(share(evaluator)).isEqualTo(0.8);
	}

	final void update(TestEvaluator evaluator) {
		evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
	}

	static double share(TestEvaluator evaluator) {
		return evaluator.adaptiveRate("r").share().doubleValue();
	}

	static long remaining(TestEvaluator evaluator, String user) {
		return remaining(evaluator, user, null);
	}

	static long remaining(TestEvaluator evaluator, String user, @Nullable String plan) {
		return remaining(evaluator, "r", user, plan);
	}

	static long remaining(TestEvaluator evaluator, String rule, String user, @Nullable String plan) {
		return evaluator.remaining(PermitRequest.of(rule).user(user).plan(plan));
	}

}
