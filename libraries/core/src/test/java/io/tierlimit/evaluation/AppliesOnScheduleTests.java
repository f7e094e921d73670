package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.PermitRequest;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.option.schedule.WeeklyRange;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests rules that apply only at some times: on working days from 7:00 to 17:00 in UTC,
 * which is 8:00 to 18:00 in Berlin. The clock starts at midnight on a Tuesday.
 */
class AppliesOnScheduleTests extends SimulatedTraffic {

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	private static final Schedule WORKING_HOURS = new Schedule(List.of(),
			List.of(WeeklyRange.parse("MON-FRI 08:00-18:00")), BERLIN);

	private static final Duration SEVEN = Duration.ofHours(7);

	@Test
	void ruleAppliesWithinItsTimesOnly() {
		TestEvaluator evaluator = atWork(perUser("2/30d"));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		this.ticker.advance(SEVEN.minusSeconds(1));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(allowed(evaluator, ALICE, 3)).isEqualTo(2);
		this.ticker.advance(Duration.ofHours(10));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		this.ticker.advance(Duration.ofHours(14));
		assertThat(send(evaluator, ALICE).allowed()).as("the bucket has its state on Wednesday").isFalse();
	}

	@Test
	void ruleFollowsAClockThatIsSetBack() {
		TestEvaluator evaluator = atWork(perUser("1/30d"));
		this.ticker.advance(SEVEN);
		assertThat(allowed(evaluator, ALICE, 2)).isEqualTo(1);
		this.ticker.set(0);
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void changeBetweenTwoMillisecondsIsFollowed() {
		TestEvaluator evaluator = evaluator(during(perUser("1/d"), new TimeRange(START.plusNanos(1), null)));
		assertThat(send(evaluator, ALICE)).isEqualTo(Verdict.UNLIMITED);
		this.ticker.advance(Duration.ofMillis(1));
		assertThat(send(evaluator, ALICE)).isNotEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void codeIsNotLimitedOutsideOfTheTimes() {
		TestEvaluator evaluator = atWork(TestRules.rule("r", 1));
		PermitRequest request = PermitRequest.of("r");
		for (int i = 0; i < 3; i++) {
			assertThat(evaluator.limiter().tryAcquire(request)).isEqualTo(Verdict.UNLIMITED);
		}
		assertThat(evaluator.limiter().reset(request)).isTrue();
		this.ticker.advance(SEVEN);
		assertThat(evaluator.limiter().tryAcquire(request).allowed()).isTrue();
		assertThat(evaluator.limiter().tryAcquire(request).allowed()).isFalse();
	}

	@Test
	void anonymousCallerIsNotDeniedOutsideOfTheTimes() {
		TestEvaluator evaluator = atWork(
				TestRules.rule("r", 9).scope(new Scope(List.of("user"), null, MissingKeyPolicy.DENY)));
		SimpleCaller anonymous = SimpleCaller.at("192.0.2.1");
		assertThat(evaluator.evaluate(anonymous).allowed()).isTrue();
		this.ticker.advance(SEVEN);
		assertThat(evaluator.evaluate(anonymous).outcome()).isEqualTo(Outcome.DENIED);
	}

	@Test
	void conditionIsNotEvaluatedOutsideOfTheTimes() {
		TestEvaluator evaluator = atWork(TestRules.rule("r", 9).options(TestRules.where("param('n').length() > 0")));
		assertThat(evaluator.evaluate(ALICE)).isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void callersDoNotReadTheLimitOutsideOfTheTimes() {
		TestEvaluator evaluator = atWork(perUser("9/d"));
		CallerLimits limits = new CallerLimits(evaluator.activeRules(), evaluator.evaluator());
		assertThat(limits.of(ALICE).decisions()).isEmpty();
		this.ticker.advance(SEVEN);
		assertThat(limits.of(ALICE).decisions()).hasSize(1);
	}

	@Test
	void descriptionContainsTheNextChange() {
		TestEvaluator evaluator = atWork(perUser("9/d"));
		assertThat(evaluator.describe("r").get("schedule")).asString()
			.startsWith("{now=false, nextChange=2030-01-01T07:00:00Z,");
		this.ticker.advance(SEVEN);
		assertThat(evaluator.describe("r").get("schedule")).asString()
			.startsWith("{now=true, nextChange=2030-01-01T17:00:00Z,");
	}

	private TestEvaluator atWork(Rule rule) {
		return evaluator(with(rule, WORKING_HOURS));
	}

}
