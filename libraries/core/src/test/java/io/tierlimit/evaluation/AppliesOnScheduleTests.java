package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.PermitRequest;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.schedule.WeeklyRange;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.store.Ticker;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests rules that apply only at some times.
 */
class AppliesOnScheduleTests {

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	private static final SimpleCaller ALICE = SimpleCaller.at("192.0.2.1").as("alice");

	/** A Friday, an hour before the working hours. */
	private static final Instant SEVEN = Instant.parse("2026-11-27T06:00:00Z");

	private final AtomicReference<Instant> now = new AtomicReference<>(SEVEN);

	private final InstantSource clock = this.now::get;

	@Test
	void ruleAppliesWithinItsTimesOnly() {
		TestEvaluator evaluator = with(TestRules.rule("r", 2));
		assertThat(evaluate(evaluator)).isEqualTo(Verdict.UNLIMITED);
		this.now.set(SEVEN.plusSeconds(3599));
		assertThat(evaluate(evaluator)).isEqualTo(Verdict.UNLIMITED);
		this.now.set(SEVEN.plusSeconds(3600));
		assertThat(evaluate(evaluator).allowed()).isTrue();
		assertThat(evaluate(evaluator).allowed()).isTrue();
		assertThat(evaluate(evaluator).allowed()).isFalse();
		this.now.set(SEVEN.plus(Duration.ofHours(11)));
		assertThat(evaluate(evaluator)).isEqualTo(Verdict.UNLIMITED);
		this.now.set(SEVEN.plus(Duration.ofDays(3)).plusSeconds(3600));
		assertThat(evaluate(evaluator).allowed()).as("the bucket has its state on Monday").isFalse();
	}

	@Test
	void ruleFollowsAClockThatIsSetBack() {
		TestEvaluator evaluator = with(TestRules.rule("r", 1));
		this.now.set(SEVEN.plusSeconds(3600));
		evaluate(evaluator);
		assertThat(evaluate(evaluator).allowed()).isFalse();
		this.now.set(SEVEN);
		assertThat(evaluate(evaluator)).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void changeBetweenTwoMillisecondsIsFollowed() {
		Instant change = SEVEN.plusNanos(1);
		TestEvaluator evaluator = with(TestRules.rule("r", 1),
				new Schedule(List.of(new TimeRange(change, null)), List.of(), BERLIN));
		assertThat(evaluate(evaluator)).isEqualTo(Verdict.UNLIMITED);
		this.now.set(SEVEN.plusMillis(1));
		assertThat(evaluate(evaluator)).isNotEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void codeIsNotLimitedOutsideOfTheTimes() {
		TestEvaluator evaluator = with(TestRules.rule("r", 1));
		PermitRequest request = PermitRequest.of("r");
		for (int i = 0; i < 3; i++) {
			assertThat(evaluator.limiter().tryAcquire(request)).isEqualTo(Verdict.UNLIMITED);
		}
		assertThat(evaluator.limiter().reset(request)).isTrue();
		this.now.set(SEVEN.plusSeconds(3600));
		assertThat(evaluator.limiter().tryAcquire(request).allowed()).isTrue();
		assertThat(evaluator.limiter().tryAcquire(request).allowed()).isFalse();
	}

	@Test
	void anonymousCallerIsNotDeniedOutsideOfTheTimes() {
		TestEvaluator evaluator = with(
				TestRules.rule("r", 9).scope(new Scope(List.of("user"), null, MissingKeyPolicy.DENY)));
		SimpleCaller anonymous = SimpleCaller.at("192.0.2.1");
		assertThat(evaluator.evaluate(anonymous).allowed()).isTrue();
		this.now.set(SEVEN.plusSeconds(3600));
		assertThat(evaluator.evaluate(anonymous).outcome()).isEqualTo(Outcome.DENIED);
	}

	@Test
	void conditionIsNotEvaluatedOutsideOfTheTimes() {
		TestEvaluator evaluator = with(TestRules.rule("r", 9).options(TestRules.where("param('n').length() > 0")));
		assertThat(evaluate(evaluator)).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void callersDoNotReadTheLimitOutsideOfTheTimes() {
		TestEvaluator evaluator = with(TestRules.rule("r", 9).scope(Scope.of("user")));
		CallerLimits limits = new CallerLimits(evaluator.activeRules(), evaluator.evaluator());
		assertThat(limits.of(ALICE).decisions()).isEmpty();
		this.now.set(SEVEN.plusSeconds(3600));
		assertThat(limits.of(ALICE).decisions()).hasSize(1);
	}

	private TestEvaluator with(Rule rule) {
		return with(rule, new Schedule(List.of(), List.of(WeeklyRange.parse("MON-FRI 08:00-18:00")), BERLIN));
	}

	private TestEvaluator with(Rule rule, Schedule times) {
		Rule scheduled = rule.options((options) -> options.with(times));
		return new TestEvaluator(
				new ActiveRules(
						new RuleCompiler(Map.of(), TestEvaluators.PLAIN_KEYS,
								StandardOptions.of(this.clock, Map.of(), Ticker.system())),
						new RuleSet(List.of(scheduled))),
				new RateLimitEvaluator(TestEvaluators.memory(100)));
	}

	private static Verdict evaluate(TestEvaluator evaluator) {
		return evaluator.evaluate(ALICE);
	}

}
