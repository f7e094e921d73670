package io.tierlimit.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.tierlimit.actuate.LastDecisions.Last;
import io.tierlimit.evaluation.RuleDecision;
import io.tierlimit.evaluation.Verdict;
import io.tierlimit.evaluation.Verdict.Outcome;
import io.tierlimit.key.Caller;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Limits;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LastDecisionsTests {

	private static final TokenBucket TEN = new TokenBucket(Rate.parse("10/d"));

	private final Rule rule = new Rule("users", Selection.ALL_REQUESTS, Scope.of(Scope.USER), new Limits(TEN));

	private Instant now = Instant.EPOCH;

	private final LastDecisions decisions = new LastDecisions(() -> this.now);

	@Test
	void laterDecisionReplacesTheEarlierOne() {
		decide("ada", true);
		this.now = Instant.EPOCH.plusSeconds(1);
		decide("ada", false);
		Last last = last("ada");
		assertThat(last.decision().decision().allowed()).isFalse();
		assertThat(last.admitted()).isFalse();
		assertThat(last.user()).isEqualTo("ada");
		assertThat(last.at()).isEqualTo(this.now);
	}

	@Test
	void whatIsNotRememberedIsNotMadeUp() {
		decide("ada", true);
		assertThat(this.decisions.of(bucket("eve", true))).isNull();
	}

	@Test
	void whoIsRefusedBeforeAuthenticationIsWhoAskedFromThereBefore() {
		decide("ada", true);
		decide(bucket("ada", false), SimpleCaller.at("192.0.2.1"));
		assertThat(last("ada").user()).isEqualTo("ada");
		assertThat(last("ada").decision().decision().allowed()).isFalse();
		decide(bucket("ada", false), SimpleCaller.at("192.0.2.2"));
		assertThat(last("ada").user()).as("from elsewhere it may be anybody").isNull();
	}

	@Test
	void bucketThatLostItsPlaceIsForgotten() {
		decide("ada", true);
		int i = 0;
		while (this.decisions.of(bucket("ada", true)) != null) {
			decide("bot" + i++, false);
		}
		assertThat(this.decisions.all((last) -> last.user() != null && last.user().equals("ada"))).isEmpty();
	}

	@Test
	void bucketThatWasKeptElsewhereIsTheSame() {
		Charge local = new Charge(new BucketKey("(local) users", "ada"), TEN, 1);
		decide(new RuleDecision(this.rule, null, local, new Decision(true, 9, 0, 0, 0), true),
				SimpleCaller.at("192.0.2.1").as("ada"));
		assertThat(this.decisions.of(bucket("ada", true))).isNotNull();
	}

	@Test
	void floodOfKeysTakesNoMoreRoomAndTheLatestIsAlwaysThere() {
		for (int i = 0; i < 100_000; i++) {
			decide("bot" + i, false);
			assertThat(this.decisions.of(bucket("bot" + i, false))).isNotNull();
		}
		assertThat(this.decisions.all((last) -> true)).hasSizeBetween(8000, 8192);
	}

	private void decide(String user, boolean allowed) {
		decide(bucket(user, allowed), SimpleCaller.at("192.0.2.1").as(user));
	}

	private void decide(RuleDecision decision, Caller caller) {
		Outcome outcome = decision.decision().allowed() ? Outcome.ALLOWED : Outcome.REFUSED;
		this.decisions.decided(new Verdict(outcome, List.of(decision)), caller);
	}

	private Last last(String user) {
		return Objects.requireNonNull(this.decisions.of(bucket(user, true)));
	}

	private RuleDecision bucket(String user, boolean allowed) {
		return new RuleDecision(this.rule, new Charge(new BucketKey("users", user), TEN, 1),
				new Decision(allowed, 0, 0, 0, 0));
	}

}
