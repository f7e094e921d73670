package io.tierlimit.option.adaptive;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.rule.Rule;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Test;

import static io.tierlimit.option.adaptive.AdaptiveRules.rule;
import static org.assertj.core.api.Assertions.assertThat;

class RequestHealthTests {

	private static final long SECOND = 1_000_000;

	private static final Duration FAST = Duration.ofMillis(100);

	private static final Duration TARGET = Duration.ofMillis(200);

	private static final Duration SLOW = Duration.ofMillis(300);

	private final SimulatedTicker ticker = new SimulatedTicker();

	private int callers;

	@Test
	void tenPercentMayBeSlow() {
		RequestHealth health = ofLatency();
		requests(health, 18, FAST);
		requests(health, 2, SLOW);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(1))).isFalse();
		requests(health, 17, FAST);
		requests(health, 3, SLOW);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(1))).isTrue();
	}

	@Test
	void targetItselfIsFast() {
		RequestHealth health = ofLatency();
		requests(health, 20, TARGET);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(2))).isFalse();
	}

	@Test
	void requestsInFlightAreSlowOnceTheTargetHasPassed() {
		RequestHealth health = ofLatency();
		begin(health, 20);
		this.ticker.set(SECOND);
		begin(health, 1);
		assertThat(health.evaluate(SECOND + TARGET.toNanos() / 1000 - 1)).as("they may still be fast")
			.isEqualTo(Health.UNKNOWN);
		assertThat(health.evaluate(SECOND + TARGET.toNanos() / 1000)).isEqualTo(Health.OVERLOADED);
		assertThat(health.evaluate(2 * SECOND)).as("each cohort is evaluated once").isEqualTo(Health.UNKNOWN);
	}

	@Test
	void nineRequestsAreTooFew() {
		RequestHealth health = ofLatency();
		requests(health, 9, SLOW);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(1))).isFalse();
		requests(health, 1, SLOW);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(1))).as("with the requests of the earlier second")
			.isTrue();
	}

	@Test
	void canceledRequestsAreIgnored() {
		RequestHealth health = ofLatency();
		List<RequestInFlight> canceled = begin(health, 20);
		this.ticker.advance(FAST);
		canceled.forEach(RequestInFlight::cancel);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(2))).isFalse();
	}

	@Test
	void slowRequestsAreIgnoredWhileFewerAreInFlight() {
		RequestHealth health = ofLatency();
		List<RequestInFlight> backlog = begin(health, 100);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(2))).isTrue();
		List<RequestInFlight> later = begin(health, 20);
		this.ticker.advance(SLOW);
		end(backlog.subList(0, 20), false);
		end(later, false);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(2))).as("80 instead of 100").isFalse();
		List<RequestInFlight> last = begin(health, 20);
		this.ticker.advance(SLOW);
		end(last, false);
		end(backlog.subList(20, 22), false);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(2))).as("78 instead of 80").isTrue();
	}

	@Test
	void slowRequestsOfABacklogThatIsServedAreIgnored() {
		RequestHealth health = ofLatency();
		List<RequestInFlight> backlog = begin(health, 100);
		evaluate(health);
		end(backlog.subList(0, 50), false);
		this.ticker.advance(Duration.ofSeconds(2));
		assertThat(evaluate(health)).isEqualTo(Health.UNKNOWN);
	}

	@Test
	void requestsBeforeTheLastReductionAreIgnored() {
		RequestHealth health = ofLatency();
		begin(health, 20);
		this.ticker.advance(Duration.ofSeconds(1));
		health.ignoreEarlier();
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(2))).isFalse();
		begin(health, 40);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(2))).isTrue();
	}

	@Test
	void shareOfErrorsIsBounded() {
		RequestHealth health = health(rule("r", 100, 10).withErrors(0.05).build());
		end(begin(health, 95), false);
		end(begin(health, 5), true);
		assertThat(isOverloaded(health)).isFalse();
		end(begin(health, 94), false);
		end(begin(health, 6), true);
		assertThat(isOverloaded(health)).isTrue();
		assertThat(isOverloaded(health)).as("each request is evaluated once").isFalse();
	}

	@Test
	void errorsNeedTenRequestsSinceTheLastReduction() {
		RequestHealth health = health(rule("r", 100, 10).withErrors(0).build());
		end(begin(health, 9), true);
		assertThat(isOverloaded(health)).isFalse();
		List<RequestInFlight> earlier = begin(health, 20);
		this.ticker.advance(1);
		health.ignoreEarlier();
		end(earlier, true);
		end(begin(health, 9), true);
		assertThat(isOverloaded(health)).isFalse();
		end(begin(health, 1), true);
		assertThat(isOverloaded(health)).isTrue();
	}

	@Test
	void oneCallerAddsOneFailurePerSecond() {
		RequestHealth health = health(rule("r", 100, 10).withErrors(0.05).build());
		end(begin(health, 19), false);
		for (int i = 0; i < 40; i++) {
			health.begin(1000).end(true);
		}
		assertThat(isOverloaded(health)).as("1 of 20").isFalse();
		end(begin(health, 18), false);
		health.begin(1000).end(true);
		health.begin(1001).end(true);
		this.ticker.advance(Duration.ofSeconds(1));
		health.begin(1000).end(true);
		assertThat(isOverloaded(health)).as("2 of 20").isTrue();
	}

	@Test
	void furtherFailuresOfACallerAreNotRequestsForAnEvaluation() {
		RequestHealth health = health(rule("r", 100, 10).withErrors(0.05).build());
		for (int i = 0; i < 40; i++) {
			health.begin(1000).end(true);
		}
		assertThat(evaluate(health)).isEqualTo(Health.UNKNOWN);
		end(begin(health, 9), true);
		assertThat(evaluate(health)).as("ten callers").isEqualTo(Health.OVERLOADED);
	}

	@Test
	void oneCallerAddsOneSlowRequestPerSecond() {
		RequestHealth health = ofLatency();
		for (int i = 0; i < 40; i++) {
			health.begin(1000);
		}
		requests(health, 9, FAST);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(1))).as("1 of 10").isFalse();
		for (int i = 0; i < 40; i++) {
			health.begin(1000);
			health.begin(1001);
		}
		requests(health, 9, FAST);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(1))).as("2 of 12").isTrue();
	}

	@Test
	void requestContinuesAsAnotherCaller() {
		RequestHealth health = ofLatency();
		for (int i = 0; i < 20; i++) {
			health.begin(1000).continueAs("user " + i);
		}
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(1))).isTrue();
		for (int i = 0; i < 3; i++) {
			RequestInFlight fast = health.begin(1000);
			fast.continueAs("fast user " + i);
			fast.end(false);
		}
		requests(health, 8, FAST);
		assertThat(isOverloadedAfter(health, Duration.ofSeconds(1))).as("none is slow").isFalse();
	}

	@Test
	void slowRequestMayEndAfterItWasEvaluated() {
		RequestHealth health = ofLatency();
		List<RequestInFlight> requests = begin(health, 20);
		assertThat(isOverloadedAfter(health, Duration.ofMinutes(1))).isTrue();
		requests.get(0).continueAs("alice");
		end(requests.subList(0, 10), false);
		requests.subList(10, 20).forEach(RequestInFlight::cancel);
		requests(health, 10, FAST);
		this.ticker.advance(Duration.ofSeconds(2));
		assertThat(evaluate(health)).isEqualTo(Health.HEALTHY);
	}

	@Test
	void lastRequestsAreEvaluatedWithoutFurtherOnes() {
		RequestHealth health = ofLatency();
		begin(health, 20);
		this.ticker.advance(Duration.ofSeconds(2));
		assertThat(isOverloaded(health)).isTrue();
	}

	@Test
	void resourceWithoutRequestsIsIdleAfterTenSeconds() {
		RequestHealth health = ofLatency();
		this.ticker.advance(Duration.ofSeconds(10));
		assertThat(evaluate(health)).isEqualTo(Health.UNKNOWN);
		this.ticker.advance(1);
		assertThat(evaluate(health)).isEqualTo(Health.IDLE);
		begin(health).end(false);
		this.ticker.advance(Duration.ofSeconds(10));
		assertThat(evaluate(health)).isEqualTo(Health.UNKNOWN);
	}

	@Test
	void requestsBeforeAnIdleTimeAreIgnored() {
		RequestHealth health = health(rule("r", 100, 10).withErrors(0.05).build());
		end(begin(health, 9), true);
		this.ticker.advance(Duration.ofSeconds(11));
		assertThat(evaluate(health)).isEqualTo(Health.IDLE);
		end(begin(health, 1), true);
		assertThat(evaluate(health)).isEqualTo(Health.UNKNOWN);
	}

	@Test
	void canceledRequestsDoNotPreventThatARuleIsIdle() {
		RequestHealth health = ofLatency();
		for (int i = 0; i < 3; i++) {
			this.ticker.advance(Duration.ofSeconds(5));
			begin(health).cancel();
		}
		assertThat(evaluate(health)).isEqualTo(Health.IDLE);
	}

	@Test
	void fewerThanTenRequestsHangAfterTenSeconds() {
		RequestHealth health = health(rule("r", 100, 10).withErrors(0.05).build());
		List<RequestInFlight> requests = begin(health, 10);
		this.ticker.advance(Duration.ofSeconds(20));
		assertThat(evaluate(health)).as("ten requests").isEqualTo(Health.UNKNOWN);
		requests.get(0).cancel();
		assertThat(evaluate(health)).as("nine requests").isEqualTo(Health.HANGING);
		requests.get(1).end(false);
		assertThat(evaluate(health)).as("one has ended").isEqualTo(Health.UNKNOWN);
	}

	@Test
	void requestsThatHangAreSlowOnceTheTargetHasPassed() {
		RequestHealth health = health(rule("r", 100, 10).withLatency(Duration.ofSeconds(30)).build());
		List<RequestInFlight> requests = begin(health, 20);
		end(requests.subList(0, 12), false);
		this.ticker.advance(Duration.ofSeconds(20));
		assertThat(evaluate(health)).isEqualTo(Health.HANGING);
		this.ticker.advance(Duration.ofSeconds(20));
		assertThat(evaluate(health)).as("eight of twenty").isEqualTo(Health.OVERLOADED);
	}

	@Test
	void enoughFailuresAreEvaluatedEvenAfterATimeWithoutRequests() {
		RequestHealth health = health(rule("r", 100, 10).withErrors(0.05).build());
		List<RequestInFlight> requests = begin(health, 15);
		this.ticker.advance(Duration.ofSeconds(30));
		end(requests, true);
		this.ticker.advance(Duration.ofSeconds(30));
		assertThat(evaluate(health)).isEqualTo(Health.OVERLOADED);
	}

	@Test
	void recoveryIsTheBestEvidenceSinceTheLastOverload() {
		RequestHealth health = ofLatency();
		assertThat(health.recovery()).as("not evaluated yet").isEqualTo(Health.UNKNOWN);
		this.ticker.advance(Duration.ofSeconds(11));
		evaluate(health);
		assertThat(health.recovery()).isEqualTo(Health.IDLE);
		begin(health);
		evaluate(health);
		assertThat(health.recovery()).as("another request").isEqualTo(Health.IDLE);
		requests(health, 10, FAST);
		this.ticker.advance(Duration.ofSeconds(2));
		evaluate(health);
		assertThat(health.recovery()).isEqualTo(Health.HEALTHY);
		evaluate(health);
		assertThat(health.recovery()).as("without further requests").isEqualTo(Health.HEALTHY);
		health.resetRecovery();
		assertThat(health.recovery()).as("overloaded").isEqualTo(Health.UNKNOWN);
	}

	@Test
	void requestsThatHangAreEvidenceOnlyWhileTheyHang() {
		RequestHealth health = ofLatency();
		RequestInFlight request = begin(health);
		this.ticker.advance(Duration.ofSeconds(11));
		evaluate(health);
		assertThat(health.recovery()).isEqualTo(Health.HANGING);
		request.end(false);
		evaluate(health);
		assertThat(health.recovery()).isEqualTo(Health.UNKNOWN);
	}

	@Test
	void tenRequestsThatAreServedInTimeAreHealthy() {
		RequestHealth health = ofLatency();
		requests(health, 10, FAST);
		this.ticker.advance(Duration.ofSeconds(2));
		assertThat(health.evaluate(this.ticker.ticks())).isEqualTo(Health.HEALTHY);
	}

	@Test
	void latencyAndErrorsMustBothBeHealthy() {
		RequestHealth health = health(rule("r", 100, 10).withLatency(TARGET).withErrors(0.05).build());
		end(begin(health, 10), false);
		assertThat(evaluate(health)).as("errors only").isEqualTo(Health.UNKNOWN);
		this.ticker.advance(Duration.ofSeconds(2));
		assertThat(evaluate(health)).as("errors and latency").isEqualTo(Health.HEALTHY);
		health.resetRecovery();
		end(begin(health, 10), false);
		assertThat(evaluate(health)).as("errors only, after another overload").isEqualTo(Health.UNKNOWN);
		assertThat(health.recovery()).isEqualTo(Health.UNKNOWN);
	}

	@Test
	void latencyIsNotMeasuredWithoutATarget() {
		RequestHealth health = health(rule("r", 100, 10).withErrors(0.05).build());
		begin(health, 100);
		assertThat(isOverloadedAfter(health, Duration.ofMinutes(2))).isFalse();
	}

	private RequestHealth ofLatency() {
		return health(rule("r", 100, 10).withLatency(TARGET).build());
	}

	private RequestHealth health(Rule rule) {
		AdaptivePolicy policy = Objects.requireNonNull(rule.options().find(AdaptivePolicy.class));
		return new RequestHealth(policy, SECOND, this.ticker);
	}

	/** Sends requests that begin now and end later. */
	private void requests(RequestHealth health, int number, Duration latency) {
		long now = this.ticker.ticks();
		List<RequestInFlight> requests = begin(health, number);
		this.ticker.advance(latency);
		end(requests, false);
		this.ticker.set(now);
	}

	/** Begins a request of a new caller. */
	private RequestInFlight begin(RequestHealth health) {
		return health.begin(this.callers++);
	}

	private List<RequestInFlight> begin(RequestHealth health, int number) {
		List<RequestInFlight> requests = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			requests.add(begin(health));
		}
		return requests;
	}

	private static void end(List<RequestInFlight> requests, boolean failed) {
		requests.forEach((request) -> request.end(failed));
	}

	/** Advances the time, begins a request of another cohort, and evaluates. */
	private boolean isOverloadedAfter(RequestHealth health, Duration time) {
		this.ticker.advance(time);
		begin(health).end(false);
		this.ticker.advance(Duration.ofSeconds(1));
		return isOverloaded(health);
	}

	private boolean isOverloaded(RequestHealth health) {
		return evaluate(health) == Health.OVERLOADED;
	}

	private Health evaluate(RequestHealth health) {
		return health.evaluate(this.ticker.ticks());
	}

}
