package io.tierlimit.web;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.tierlimit.PermitRequest;
import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Rate;
import io.tierlimit.option.adaptive.AdaptivePolicy;
import io.tierlimit.option.adaptive.AdaptiveRates;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.candidate.CandidateLimits;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.option.outcome.StatusRange;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.settlement.ActualCost;
import io.tierlimit.option.shard.Shards;
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
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.shard.ShardedBuckets;
import jakarta.servlet.DispatcherType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests features that change while an asynchronous request is served: see
 * docs/contributing/evidence.md.
 */
class AsynchronousPairsTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/** A rule that charges failures, and has a plan and a candidate. */
	private static final Rule BEGUN = TestRules
		.rule("r", new RuleLimits(TestRules.bucket(10), Map.of("pro", new PlanLimit(TestRules.bucket(5)))))
		.scope(Scope.of(Scope.IP))
		.options((options) -> options.with(new ChargePolicy(List.of(new StatusRange(500, 599)), List.of()))
			.with(new CandidateLimits(new RuleLimits(TestRules.bucket(1)))));

	/** A rule that holds permits, and has a candidate. */
	private static final Rule HOLDING = TestRules.rule("r", Concurrency.of(2, Duration.ofHours(1)))
		.scope(Scope.of(Scope.IP))
		.options((options) -> options.with(new CandidateLimits(new RuleLimits(TestRules.bucket(1)))));

	/** A rule with an estimated cost, and with a candidate. */
	private static final Rule SETTLING = TestRules.rule("r", 10)
		.scope(Scope.of(Scope.IP))
		.cost("4")
		.options((options) -> options.with(new ActualCost("status / 100", null))
			.with(new CandidateLimits(new RuleLimits(TestRules.bucket(1)))));

	private static final CallerOverride UNLIMITED = new CallerOverride("a",
			new Target(Kind.ADDRESS, List.of("192.0.2.1")), Set.of(), Effect.UNLIMITED, Map.of(), null, null);

	private static final Schedule PAST = new Schedule(List.of(new TimeRange(null, Instant.EPOCH)), List.of(),
			ZoneOffset.UTC);

	private final BucketStore store = TestEvaluators.memory(100);

	private @Nullable String plan;

	@Test
	void requestIsMeasuredOnceAtItsAsynchronousEnd() throws Exception {
		TestEvaluator evaluator = TestEvaluators.of(this.store,
				TestRules.rule("r", 100)
					.options((options) -> options
						.with(new AdaptivePolicy(Rate.parse("1/7d"), null, 0.0, null, MINUTE, "r", 0))));
		Started[] requests = new Started[10];
		for (int i = 0; i < requests.length; i++) {
			requests[i] = begin(evaluator, "192.0.2." + i);
		}
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(1);
		for (int i = 0; i < 9; i++) {
			requests[i].end(503);
			requests[i].end(503);
		}
		assertThat(shareAfterUpdate(evaluator)).as("9 failures").isEqualTo(1);
		requests[9].end(503);
		assertThat(shareAfterUpdate(evaluator)).isEqualTo(0.8);
	}

	@Test
	void rejectionAtTheTargetOfAnAsynchronousDispatchCountsOnceForABan() throws Exception {
		TestEvaluator evaluator = TestEvaluators.of(this.store,
				TestRules.rule("view", 1)
					.scope(Scope.of(Scope.IP))
					.selection(TestRules.onPath("/view"))
					.options((options) -> options.with(new Banning(BanPolicy.of(3, MINUTE, MINUTE, MINUTE)))));
		RateLimitFilter filter = filter(evaluator);
		for (int i = 0; i <= 3; i++) {
			MockHttpServletRequest request = request("192.0.2.1");
			MockHttpServletResponse response = new MockHttpServletResponse();
			filter.doFilter(request, response, (passed, next) -> request.startAsync());
			request.setDispatcherType(DispatcherType.ASYNC);
			request.setRequestURI("/view");
			filter.doFilter(request, response, (passed, next) -> {
			});
			assertThat(response.getStatus()).isEqualTo((i == 0) ? 200 : 429);
			context(request).complete();
			assertThat(isBanned(evaluator)).as(i + " rejections").isEqualTo(i == 3);
		}
	}

	/** A change during the request causes no charge and no second refund. */
	@ParameterizedTest
	@EnumSource
	void requestIsSettledOnceUnderTheRulesThatItBeganWith(Change change) throws Exception {
		TestEvaluator evaluator = TestEvaluators.of(this.store, BEGUN);
		Started refunded = begin(evaluator, "192.0.2.1");
		Started charged = begin(evaluator, "192.0.2.1");
		evaluator.replace(change.after());
		this.plan = (change == Change.PLAN) ? "pro" : null;
		begin(evaluator, "192.0.2.1");
		this.plan = null;
		evaluator.replace(BEGUN);
		long before = remaining(evaluator);
		assertThat(before).isEqualTo(8 - change.consumed());
		refunded.end(200);
		refunded.end(200);
		charged.end(503);
		assertThat(remaining(evaluator)).isEqualTo(before + 1);
	}

	@Test
	void requestIsRefundedOnceToTheShardThatItWasChargedTo() throws Exception {
		Rule rule = TestRules.rule("all", 4)
			.options((options) -> options.with(new ChargePolicy(List.of(new StatusRange(500, 599)), List.of())));
		Rule onTwoShards = rule.options((options) -> options.with(new Shards(2)));
		TestEvaluator evaluator = TestEvaluators.of(new ShardedBuckets(this.store, Ticker.system()), onTwoShards);
		Started refunded = begin(evaluator, "192.0.2.1");
		Started charged = begin(evaluator, "192.0.2.2");
		evaluator.replace(rule.options((options) -> options.with(new Shards(4))));
		for (int i = 0; i < 2; i++) {
			refunded.end(200);
			charged.end(503);
		}
		assertThat(evaluator.remaining("all")).isEqualTo(4);
		evaluator.replace(onTwoShards);
		assertThat(evaluator.remaining("all")).isEqualTo(3);
	}

	/** Only the first of two requests ends under the changed rules. */
	@ParameterizedTest
	@EnumSource
	void permitIsHeldUntilTheAsynchronousEnd(Change change) throws Exception {
		TestEvaluator evaluator = TestEvaluators.of(this.store, HOLDING);
		Started first = begin(evaluator, "192.0.2.1");
		Started second = begin(evaluator, "192.0.2.1");
		assertThat(remaining(evaluator)).isZero();
		evaluator.replace(change.after(HOLDING));
		first.end(503);
		evaluator.replace(HOLDING);
		first.end(503);
		assertThat(remaining(evaluator)).isEqualTo(1);
		second.end(503);
		assertThat(remaining(evaluator)).isEqualTo(2);
	}

	/** Costs are settled under the rules that the requests began with. */
	@ParameterizedTest
	@EnumSource
	void costIsSettledOnceAtTheAsynchronousEnd(Change change) throws Exception {
		TestEvaluator evaluator = TestEvaluators.of(this.store, SETTLING);
		Started lower = begin(evaluator, "192.0.2.1");
		Started higher = begin(evaluator, "192.0.2.1");
		assertThat(remaining(evaluator)).isEqualTo(2);
		evaluator.replace(change.after(SETTLING));
		lower.end(200);
		higher.end(500);
		evaluator.replace(SETTLING);
		assertThat(remaining(evaluator)).as("2 and 5 of 10 permits are consumed").isEqualTo(3);
		lower.end(100);
		higher.end(100);
		assertThat(remaining(evaluator)).isEqualTo(3);
	}

	private Started begin(TestEvaluator evaluator, String address) throws Exception {
		MockHttpServletRequest request = request(address);
		MockHttpServletResponse response = new MockHttpServletResponse();
		filter(evaluator).doFilter(request, response, (passed, next) -> request.startAsync());
		assertThat(response.getStatus()).isEqualTo(200);
		return new Started(context(request), response);
	}

	private static MockHttpServletRequest request(String address) {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders");
		request.setRemoteAddr(address);
		request.setAsyncSupported(true);
		return request;
	}

	private static MockAsyncContext context(MockHttpServletRequest request) {
		return Objects.requireNonNull((MockAsyncContext) request.getAsyncContext());
	}

	private RateLimitFilter filter(TestEvaluator evaluator) {
		PlanResolver plans = (caller) -> this.plan;
		return TestLimiters.filter(Stage.ALL, TestLimiters.of(evaluator, plans));
	}

	private double shareAfterUpdate(TestEvaluator evaluator) {
		evaluator.activeRules().current().option(AdaptiveRates.class).update(this.store);
		return evaluator.adaptiveRate("r").share().doubleValue();
	}

	private static long remaining(TestEvaluator evaluator) {
		return evaluator.limiter()
			.peek(PermitRequest.of("r").ip("192.0.2.1").cost(0))
			.decisions()
			.get(0)
			.decision()
			.remaining();
	}

	private static boolean isBanned(TestEvaluator evaluator) {
		return evaluator.limiter().peek(PermitRequest.of("view").ip("192.0.2.1")).banned();
	}

	/**
	 * A request that is served asynchronously.
	 */
	private record Started(MockAsyncContext context, MockHttpServletResponse response) {

		void end(int status) {
			this.response.setStatus(status);
			this.context.complete();
		}

	}

	/**
	 * The change that is made while the request is served.
	 */
	enum Change {

		CANDIDATE, COST, KEY, OVERRIDE, PLAN, REMOVAL, SHADOW, SCHEDULE;

		RuleSet after() {
			return after(BEGUN);
		}

		RuleSet after(Rule rule) {
			RuleSet begun = new RuleSet(List.of(rule));
			return switch (this) {
				case CANDIDATE ->
					new RuleSet(List.of(rule.options((options) -> options.without(CandidateLimits.class))));
				case COST -> new RuleSet(List.of(rule.cost("2")));
				case KEY -> new RuleSet(List.of(rule.scope(Scope.of())));
				case OVERRIDE -> begun.overrides(List.of(UNLIMITED));
				case PLAN -> begun;
				case REMOVAL -> new RuleSet(List.of());
				case SHADOW -> begun.mode(RuleMode.SHADOW);
				case SCHEDULE -> new RuleSet(List.of(rule.options((options) -> options.with(PAST))));
			};
		}

		/** The permits that a request after the change consumes from the same bucket. */
		long consumed() {
			return switch (this) {
				case CANDIDATE, SHADOW -> 1;
				case COST -> 2;
				case KEY, OVERRIDE, PLAN, REMOVAL, SCHEDULE -> 0;
			};
		}

	}

}
