package io.tierlimit.event;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.tierlimit.RateLimitRejectedEvent;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.key.SimpleCaller;
import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RejectionEvents}.
 */
class RejectionEventsTests {

	private static final Instant NOW = Instant.parse("2030-01-02T03:04:05Z");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final RejectionThrottle throttle = new RejectionThrottle(this.ticker, Duration.ofSeconds(10),
			new TokenBucket(Rate.parse("3/s")));

	private final List<RateLimitRejectedEvent> received = new ArrayList<>();

	private final RejectionEvents events = events(List.of(this.received::add));

	private final Rule search = TestRules.rule("search", 10);

	private final Rule orders = TestRules.rule("orders", 10);

	@Test
	void everyDecisionThatRejectsIsAnEvent() {
		publish(TestDecision.rejected(this.search), TestDecision.allowed(TestRules.rule("all", 10), 9),
				TestDecision.rejected(this.orders));
		assertThat(rules()).containsExactly("search", "orders");
	}

	@Test
	void eventHasTheDecisionTheCallerAndTheTime() {
		TestDecision decision = TestDecision.rejected(this.search).onBucket("ada");
		this.events.onVerdict(new Verdict(Outcome.REJECTED, List.of(decision)),
				SimpleCaller.at("192.0.2.1").as("ada").to("GET", "/search"));
		assertThat(this.received)
			.containsExactly(new RateLimitRejectedEvent(decision, "192.0.2.1", "ada", "GET /search", NOW));
	}

	@Test
	void callerWithoutFactsLeavesThemOut() {
		TestDecision decision = TestDecision.rejected(this.search);
		publish(decision);
		assertThat(this.received).containsExactly(new RateLimitRejectedEvent(decision, null, null, null, NOW));
	}

	@Test
	void rejectionByAShadowRuleIsAnEventOfAnAllowedRequest() {
		Rule shadow = this.search.options((options) -> options.mode(RuleMode.SHADOW));
		this.events.onVerdict(new Verdict(Outcome.ALLOWED, List.of(TestDecision.rejected(shadow))), Caller.UNKNOWN);
		assertThat(this.received).singleElement().satisfies((event) -> assertThat(event.decision().shadow()).isTrue());
	}

	@Test
	void bucketHasOneEventInAnInterval() {
		publish(TestDecision.rejected(this.search).onBucket("ada"));
		publish(TestDecision.rejected(this.search).onBucket("ada"));
		assertThat(this.received).hasSize(1);
		publish(TestDecision.rejected(this.search).onBucket("eve"));
		assertThat(this.received).as("of another bucket").hasSize(2);
		this.ticker.advance(Duration.ofSeconds(10));
		publish(TestDecision.rejected(this.search).onBucket("ada"));
		assertThat(this.received).as("of the next interval").hasSize(3);
	}

	@Test
	void rejectionThatStartsABanIsNotHiddenByEarlierOnes() {
		BanPolicy policy = new BanPolicy(2, 1, 1000, 1000);
		BucketState state = new BucketState(0);
		List<Boolean> starts = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			TestDecision rejected = TestDecision.rejected(this.search).onBucket("ada");
			Decision decision = state.isBanned(0) ? policy.acquire(state, rejected.limit(), 1, Overdraft.NONE, 0)
					: policy.count(state, rejected.decision(), 0);
			Ban ban = decision.ban();
			starts.add(ban != null && ban.started());
			publish(new TestDecision(rejected.rule(), null, false, "ada", 1, rejected.limit(), decision, false));
		}
		assertThat(starts).containsExactly(false, true, false, false);
		assertThat(this.received).extracting((event) -> event.decision().banned()).containsExactly(false, true);
	}

	@Test
	void sameKeyOfAnotherRuleIsAnotherBucket() {
		publish(TestDecision.rejected(this.search).onBucket("ada"), TestDecision.rejected(this.orders).onBucket("ada"));
		assertThat(rules()).containsExactly("search", "orders");
	}

	@Test
	void allowedRequestUsesNothingOfTheThrottle() {
		publish(TestDecision.allowed(this.search, 9));
		assertThat(this.received).isEmpty();
		publish(TestDecision.rejected(this.search));
		assertThat(this.received).hasSize(1);
	}

	@Test
	void everyReceiverGetsTheSameEvent() {
		List<RateLimitRejectedEvent> others = new ArrayList<>();
		events(List.of(this.received::add, others::add))
			.onVerdict(new Verdict(Outcome.REJECTED, List.of(TestDecision.rejected(this.search))), Caller.UNKNOWN);
		assertThat(this.received).hasSize(1);
		assertThat(others).singleElement().isSameAs(this.received.get(0));
	}

	private RejectionEvents events(List<Consumer<RateLimitRejectedEvent>> receivers) {
		return new RejectionEvents(this.throttle, InstantSource.fixed(NOW), receivers);
	}

	private void publish(RuleDecision... decisions) {
		this.events.onVerdict(new Verdict(Outcome.REJECTED, List.of(decisions)), Caller.UNKNOWN);
	}

	private List<String> rules() {
		return this.received.stream().map((event) -> event.decision().rule()).toList();
	}

}
