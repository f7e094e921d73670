package io.tierlimit.option.adaptive;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.tierlimit.option.adaptive.AdaptiveRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests the updates of rates, with and without the store.
 */
@ExtendWith(OutputCaptureExtension.class)
class AdaptiveRatesTests {

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final AtomicBoolean overloaded = new AtomicBoolean();

	private final InMemoryBucketStore memory = new InMemoryBucketStore(this.ticker, 100);

	private final Rule rule = rule("r", 100, 10).withSignal("pool").build();

	private final Rule measured = rule("r", 100, 10).withErrors(0).withSignal("pool").build();

	@Test
	void reducesByAFifthAtMostOnceInTwoSeconds() {
		AdaptiveRates rates = rates();
		this.overloaded.set(true);
		update(rates, this.memory);
		assertThat(share(rates)).isEqualTo(0.8);
		update(rates, this.memory);
		assertThat(share(rates)).isEqualTo(0.8);
		update(rates, this.memory);
		assertThat(share(rates)).as("of 0.8: the rate does not rise before the resource is healthy").isEqualTo(0.64);
	}

	@Test
	void severalInstancesReactOnceToTheSameOverload() {
		AdaptiveRates first = rates();
		AdaptiveRates second = rates();
		this.overloaded.set(true);
		update(first, this.memory);
		second.update(this.memory);
		assertThat(share(first)).isEqualTo(0.8);
		assertThat(share(second)).isEqualTo(0.8);
	}

	@Test
	void instancesThatReadBeforeAnotherOneReducesReactOnce() {
		AdaptiveRates first = rates();
		AdaptiveRates second = rates();
		this.overloaded.set(true);
		BucketStore slow = slow(() -> second.update(this.memory), () -> {
		});
		update(first, slow);
		assertThat(share(second)).isEqualTo(0.8);
		update(first, this.memory);
		assertThat(share(first)).isEqualTo(0.8);
	}

	@Test
	void failuresBeforeTheReductionOfAnotherInstanceAreIgnored() {
		AdaptiveRates first = rates(this.measured);
		AdaptiveRates second = rates(this.measured);
		AdaptiveRate rate = rate(second, this.measured);
		fail(10, rate);
		reduce(first);
		this.ticker.advance(Duration.ofSeconds(2));
		update(second, this.memory);
		assertThat(share(second)).isBetween(0.8, 0.86);
	}

	@Test
	void failuresDuringAReductionAreIgnored() {
		AdaptiveRates rates = rates(this.measured);
		AdaptiveRate rate = rate(rates, this.measured);
		BucketStore slow = slow(() -> {
		}, () -> {
			fail(10, rate);
			this.ticker.advance(Duration.ofSeconds(1));
		});
		this.overloaded.set(true);
		update(rates, slow);
		this.overloaded.set(false);
		update(rates, this.memory);
		assertThat(share(rates)).isEqualTo(0.8);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT10S", "PT1M", "PT10M", "PT1H" })
	void rateDoesNotFollowTheBucketBeforeTheResourceIsHealthy(Duration recovery) {
		Rule measured = rule("r", 100, 10).withErrors(0).withSignal("pool").recovery(recovery).build();
		AdaptiveRates first = rates(measured);
		AdaptiveRates second = rates(measured);
		begin(10, first, measured);
		begin(10, second, measured);
		reduce(first);
		for (int i = 0; i < 10; i++) {
			double before = share(second);
			this.ticker.advance(Duration.ofMillis(400));
			second.update(this.memory);
			assertThat(share(second)).isLessThanOrEqualTo(before);
			update(60, first);
			assertThat(share(first)).isEqualTo(0.8);
		}
	}

	@Test
	void rateDoesNotRiseAfterAReloadBeforeTheResourceIsHealthy() {
		AdaptiveRates rates = rates(this.measured);
		begin(10, rates, this.measured);
		reduce(rates);
		AdaptiveRates reloaded = rates(this.measured);
		reloaded.continueFrom(rates);
		update(30, reloaded);
		assertThat(share(reloaded)).isEqualTo(0.8);
	}

	@Test
	void rateDoesNotRiseAfterAChangeOfItsPolicyBeforeTheResourceIsHealthy() {
		AdaptiveRates rates = rates();
		reduce(rates);
		Rule measured = rule("r", 100, 10).withErrors(0).build();
		AdaptiveRates reloaded = rates(measured);
		reloaded.continueFrom(rates);
		begin(10, reloaded, measured);
		update(30, reloaded);
		assertThat(share(reloaded)).isEqualTo(0.8);
	}

	@Test
	void rateDoesNotRiseAfterAReductionElsewhereBeforeTheResourceIsHealthy() {
		AdaptiveRates first = rates(this.measured);
		AdaptiveRates second = rates(this.measured);
		this.ticker.advance(Duration.ofSeconds(20));
		second.update(this.memory);
		begin(10, second, this.measured);
		reduce(first);
		update(20, second);
		assertThat(share(second)).isBetween(0.8, 0.82);
	}

	@Test
	void resourceRecoversAlthoughRequestsOfARuleHang() {
		Rule hanging = rule("hanging", 100, 10).withLatency(Duration.ofSeconds(1)).resource("shop").build();
		Rule signaled = rule("r", 100, 10).withSignal("pool").resource("shop").build();
		AdaptiveRates rates = rates(signaled);
		begin(9, rates, hanging);
		reduce(rates);
		update(9, rates);
		assertThat(share(rates)).as("after ten seconds").isEqualTo(0.8);
		update(14, rates);
		assertThat(share(rates)).isEqualTo(1);
	}

	@Test
	void resourceDoesNotRecoverIfRequestsHangAndNoRuleIsHealthy() {
		Rule idle = rule("idle", 100, 10).withErrors(0).resource("shop").build();
		Rule hanging = rule("r", 100, 10).withErrors(0).resource("shop").build();
		Rule failing = rule("failing", 100, 10).withErrors(0).resource("shop").build();
		AdaptiveRates rates = rates(hanging);
		rates.of(idle);
		fail(10, rate(rates, failing));
		begin(7, rates, hanging);
		begin(7, rates, failing);
		update(60, rates);
		assertThat(share(rates)).isEqualTo(0.8);
	}

	@Test
	void slowReadingOfTheStoreDoesNotLookLikeAReductionElsewhere() {
		AdaptiveRates rates = rates();
		reduce(rates);
		update(rates, this.memory);
		BucketStore slow = new DelegatingBucketStore(this.memory) {

			@Override
			public AcquireResult peek(List<Charge> charges) {
				AcquireResult levels = super.peek(charges);
				AdaptiveRatesTests.this.ticker.advance(Duration.ofSeconds(3));
				return levels;
			}

		};
		update(rates, slow);
		double before = share(rates);
		update(rates, this.memory);
		assertThat(share(rates)).as("rises").isGreaterThan(before);
	}

	@Test
	void newInstanceHasTheMinimumOfTheOthers() {
		AdaptiveRates first = rates();
		this.overloaded.set(true);
		update(120, first);
		this.overloaded.set(false);
		AdaptiveRates started = rates();
		started.update(this.memory);
		assertThat(share(started)).isEqualTo(0.1);
	}

	@Test
	void reloadedRulesHaveTheSameRate() {
		AdaptiveRates rates = rates();
		this.overloaded.set(true);
		update(rates, this.memory);
		AdaptiveRates reloaded = rates();
		reloaded.continueFrom(rates);
		assertThat(share(reloaded)).isEqualTo(0.8);
	}

	@Test
	void lostBucketDoesNotRaiseTheRate() {
		AdaptiveRates rates = rates();
		reduce(rates);
		this.memory.reset(new BucketKey("(adaptive) r", "level", "adaptive"), new StoreFailureFlag());
		update(rates, this.memory);
		assertThat(share(rates)).isEqualTo(0.8);
		update(13, rates);
		assertThat(share(rates)).isEqualTo(1);
	}

	@Test
	void withoutTheStoreAnInstanceReducesAndRecoversAlone() {
		AdaptiveRates rates = rates();
		BucketStore unreachable = new DelegatingBucketStore(this.memory) {

			@Override
			public AcquireResult peek(List<Charge> charges) {
				return AcquireResult.undecided(charges);
			}

			@Override
			public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
				return AcquireResult.unreachable(charges, StoreFailurePolicy.LOCAL);
			}

		};
		this.overloaded.set(true);
		update(60, rates, unreachable);
		assertThat(share(rates)).isEqualTo(0.1);
		update(rates, this.memory);
		assertThat(share(rates)).as("the store has a full bucket").isEqualTo(0.1);
		this.overloaded.set(false);
		update(63, rates, unreachable);
		assertThat(share(rates)).isEqualTo(1);
	}

	@Test
	void failingSignalIsIgnoredAndReportedOnce(CapturedOutput output) {
		AdaptiveRates rates = new AdaptiveRates(Map.of("pool", () -> {
			throw new IllegalStateException("no pool");
		}), this.ticker);
		rates.of(this.rule);
		update(rates, this.memory);
		update(rates, this.memory);
		assertThat(share(rates)).isEqualTo(1);
		assertThat(output).containsOnlyOnce("The OverloadSignal 'pool' failed");
	}

	@Test
	void signalMustExist() {
		AdaptiveRates rates = new AdaptiveRates(Map.of(), this.ticker);
		assertThatIllegalArgumentException().isThrownBy(() -> rates.of(this.rule)).withMessageContaining("'pool'");
	}

	@Test
	void ruleThatIsAddedLaterHasTheShareOfItsResource() {
		AdaptiveRates rates = new AdaptiveRates(Map.of("pool", this.overloaded::get), this.ticker);
		Rule first = rule("first", 100, 10).withSignal("pool").resource("shop").build();
		Rule second = rule("second", 100, 10).withLatency(Duration.ofSeconds(1)).resource("shop").build();
		AdaptiveRate rate = rate(rates, first);
		this.overloaded.set(true);
		update(rates, this.memory);
		AdaptiveRate added = rate(rates, second);
		assertThat(added.share()).isEqualByComparingTo("0.8");
		assertThat(rates.of(first)).isSameAs(rate);
	}

	@Test
	void rulesWithSeveralPrioritiesBeginAtTheirFullRate() {
		AdaptiveRates rates = new AdaptiveRates(Map.of(), this.ticker);
		for (int priority : new int[] { 2, 1, 3 }) {
			rates.of(rule("r" + priority, 100, 10).withErrors(0).resource("shop").priority(priority).build());
		}
		update(rates, this.memory);
		for (int priority = 1; priority <= 3; priority++) {
			Rule rule = rule("r" + priority, 100, 10).withErrors(0).resource("shop").priority(priority).build();
			assertThat(rate(rates, rule).share()).isEqualByComparingTo("1");
		}
	}

	@Test
	void measurementsContinueAfterAReload() {
		Rule measured = rule("r", 100, 10).withErrors(0).build();
		AdaptiveRates before = new AdaptiveRates(Map.of(), this.ticker);
		AdaptiveRate rate = rate(before, measured);
		fail(9, rate);
		RequestInFlight inFlight = rate.begin("alice");
		AdaptiveRates reloaded = new AdaptiveRates(Map.of(), this.ticker);
		reloaded.of(measured);
		reloaded.continueFrom(before);
		inFlight.end(true);
		update(reloaded, this.memory);
		assertThat(rate(reloaded, measured).share()).isEqualByComparingTo("0.8");
	}

	@Test
	void rateIsReducedEvenIfTheMemoryHasNoRoomForItsBucket() {
		InMemoryBucketStore full = new InMemoryBucketStore(this.ticker, 1);
		BucketKey other = new BucketKey("other", "");
		assertThat(
				full.acquire(List.of(new Charge(other, new TokenBucket(Rate.parse("1/d")), 1)), new StoreFailureFlag())
					.admitted())
			.isTrue();
		AdaptiveRates rates = rates();
		this.overloaded.set(true);
		update(40, rates, full);
		assertThat(share(rates)).isEqualTo(0.1);
	}

	@Test
	void ruleWithAConstantRateHasNoAdaptiveRate() {
		AdaptiveRates rates = rates();
		assertThat(rates.of(this.rule.options((options) -> options.without(AdaptivePolicy.class)))).isNull();
	}

	private AdaptiveRates rates() {
		return rates(this.rule);
	}

	private AdaptiveRates rates(Rule only) {
		Map<String, OverloadSignal> signals = Map.of("pool", this.overloaded::get);
		AdaptiveRates rates = new AdaptiveRates(signals, this.ticker);
		rates.of(only);
		return rates;
	}

	private double share(AdaptiveRates rates) {
		return rate(rates, this.rule).share().doubleValue();
	}

	private static AdaptiveRate rate(AdaptiveRates rates, Rule rule) {
		return Objects.requireNonNull(rates.of(rule));
	}

	/** A store in which other actions happen before and after each reduction. */
	private BucketStore slow(Runnable before, Runnable after) {
		return new DelegatingBucketStore(this.memory) {

			@Override
			public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
				before.run();
				AcquireResult result = super.acquire(charges, failureFlag);
				after.run();
				return result;
			}

		};
	}

	/** Begins requests, which do not end. */
	private static void begin(int requests, AdaptiveRates rates, Rule rule) {
		for (int i = 0; i < requests; i++) {
			rate(rates, rule).begin("caller " + i);
		}
	}

	/** Sends requests that fail. */
	private static void fail(int requests, AdaptiveRate rate) {
		for (int i = 0; i < requests; i++) {
			rate.begin("caller " + i).end(true);
		}
	}

	/** Reduces the rates by a short overload. */
	private void reduce(AdaptiveRates rates) {
		this.overloaded.set(true);
		update(rates, this.memory);
		this.overloaded.set(false);
	}

	/** Updates the rates once per second. */
	private void update(int seconds, AdaptiveRates rates) {
		update(seconds, rates, this.memory);
	}

	private void update(int seconds, AdaptiveRates rates, BucketStore store) {
		for (int i = 0; i < seconds; i++) {
			update(rates, store);
		}
	}

	/** Updates the rates after a second. */
	private void update(AdaptiveRates rates, BucketStore store) {
		this.ticker.advance(Duration.ofSeconds(1));
		rates.update(store);
	}

}
