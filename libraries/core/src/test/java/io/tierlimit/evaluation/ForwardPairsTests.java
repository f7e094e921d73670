package io.tierlimit.evaluation;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.RuleOutcome;
import io.tierlimit.Verdict;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.option.ban.Banning;
import io.tierlimit.option.schedule.Schedule;
import io.tierlimit.option.schedule.TimeRange;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.Rule;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests forwards with other features. See docs/contributing/evidence.md.
 */
class ForwardPairsTests extends SimulatedTraffic {

	@Test
	void requestThatIsRejectedAtTheTargetOfAForwardIsCountedOnceForABan() {
		Rule banning = perUser("2/h")
			.options((options) -> options.with(new Banning(BanPolicy.of(3, MINUTE, MINUTE, MINUTE))));
		TestEvaluator evaluator = evaluator(banning, perUser("other", bucket("9/h")));
		begin(evaluator, ALICE, "r");
		begin(evaluator, ALICE, "r");
		for (int i = 1; i <= 3; i++) {
			RateLimitTransaction transaction = begin(evaluator, ALICE, "other");
			Verdict forwarded = forward(evaluator, transaction);
			assertThat(forwarded.allowed()).isFalse();
			assertThat(forwarded.banned()).as("rejection " + i).isEqualTo(i == 3);
			transaction.rollback();
			transaction.complete(RequestOutcome.answered(429));
		}
		assertThat(remaining(evaluator, "other", "alice", null)).as("rejections after a forward keep charges")
			.isEqualTo(6);
	}

	@Test
	void candidateIsChargedOnceForARequestThatIsForwarded() {
		TestEvaluator evaluator = evaluator(candidate(perUser("5/h"), bucket("1/h")));
		begin(evaluator, ALICE).complete(OK);
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(forward(evaluator, transaction)).isEqualTo(Verdict.UNLIMITED);
		this.published.clear();
		transaction.complete(OK);
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
		assertThat(remaining(evaluator, "alice")).isEqualTo(3);
	}

	@Test
	void requestWaitsAtTheTargetOfAForwardForPermitsThatItHasNotConsumed() {
		TestEvaluator evaluator = evaluator(perUser("other", bucket("9/h")), waiting(perUser("1/s"), MINUTE));
		send(evaluator, ALICE);
		RateLimitTransaction transaction = begin(evaluator, ALICE, "other");
		Verdict forwarded = forward(evaluator, transaction);
		assertThat(forwarded.delay()).isEqualTo(Duration.ofSeconds(1));
		transaction.await(forwarded);
		assertThat(forward(evaluator, transaction)).as("a second forward").isEqualTo(Verdict.UNLIMITED);
	}

	@Test
	void overrideThatEndsBeforeAForwardDoesNotChargeTheRequestAgain() {
		Rule rule = perUser("5/h");
		CallerOverride ending = new CallerOverride("a", new Target(Kind.USER, List.of("alice")), Set.of("r"),
				Effect.LIMIT, Map.of("r", bucket("20/h")), START.plusSeconds(1), null);
		CallerOverride unlimited = new CallerOverride("b", new Target(Kind.USER, List.of("bob")), Set.of("r"),
				Effect.UNLIMITED, Map.of(), START.plusSeconds(1), null);
		TestEvaluator evaluator = evaluator(overridden(rule, ending, unlimited));
		RateLimitTransaction ofAlice = begin(evaluator, ALICE);
		RateLimitTransaction ofBob = begin(evaluator, BOB);
		this.ticker.advance(Duration.ofSeconds(1));
		assertThat(forward(evaluator, ofAlice)).isEqualTo(Verdict.UNLIMITED);
		assertThat(forward(evaluator, ofBob).decisions()).as("was not charged").hasSize(1);
		assertThat(remaining(evaluator, "bob")).isEqualTo(4);
	}

	@Test
	void forwardIsChargedToTheBucketOfAnotherPlanOnce() {
		TestEvaluator evaluator = evaluator(plans(perUser("3/h")));
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		forward(evaluator, transaction);
		transaction.continueAs(ALICE.on("pro"));
		forward(evaluator, transaction);
		forward(evaluator, transaction);
		assertThat(remaining(evaluator, "alice", "free")).isEqualTo(2);
		assertThat(remaining(evaluator, "alice", "pro")).as("of 6").isEqualTo(5);
	}

	@Test
	void shadowRuleIsChargedOnceForARequestThatIsForwarded() {
		TestEvaluator evaluator = evaluator(shadow(perUser("1/h")));
		begin(evaluator, ALICE).complete(OK);
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		assertThat(forward(evaluator, transaction)).isEqualTo(Verdict.UNLIMITED);
		transaction.complete(OK);
		assertThat(this.published).containsExactly(RuleOutcome.ALLOWED, RuleOutcome.SHADOW_REJECTED);
	}

	@Test
	void ruleWhoseTimesBeginBeforeAForwardIsChargedAtItsTarget() {
		Rule later = perUser("3/h").options((options) -> options
			.with(new Schedule(List.of(new TimeRange(START.plusSeconds(1), null)), List.of(), ZoneOffset.UTC)));
		TestEvaluator evaluator = evaluator(later);
		RateLimitTransaction transaction = begin(evaluator, ALICE);
		this.ticker.advance(Duration.ofSeconds(1));
		forward(evaluator, transaction);
		forward(evaluator, transaction);
		transaction.complete(OK);
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
	}

	@Test
	void chargeOfAForwardIsSettledWithItsRequest() {
		TestEvaluator evaluator = evaluator(perUser("other", bucket("9/h")), charging(perUser("3/h"), "5xx"));
		RateLimitTransaction refunded = begin(evaluator, ALICE, "other");
		forward(evaluator, refunded);
		RateLimitTransaction charged = begin(evaluator, ALICE, "other");
		forward(evaluator, charged);
		assertThat(remaining(evaluator, "alice")).isEqualTo(1);
		refunded.complete(OK);
		charged.complete(FAILURE);
		assertThat(remaining(evaluator, "alice")).isEqualTo(2);
	}

}
