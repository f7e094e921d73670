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
		BucketStore slow = new DelegatingBucketStore(this.memory) {

			@Override
			public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
				second.update(AdaptiveRatesTests.this.memory);
				return super.acquire(charges, failureFlag);
			}

		};
		update(first, slow);
		assertThat(share(second)).isEqualTo(0.8);
		update(first, this.memory);
		assertThat(share(first)).isEqualTo(0.8);
	}

	@Test
	void failuresBeforeTheReductionOfAnotherInstanceAreIgnored() {
		Rule measured = rule("r", 100, 10).withErrors(0).withSignal("pool").build();
		AdaptiveRates first = rates(measured);
		AdaptiveRates second = rates(measured);
		AdaptiveRate rate = Objects.requireNonNull(second.of(measured));
		fail(10, rate);
		reduce(first);
		this.ticker.advance(Duration.ofSeconds(2));
		update(second, this.memory);
		assertThat(share(second)).isBetween(0.8, 0.86);
	}

	@Test
	void failuresDuringAReductionAreIgnored() {
		Rule measured = rule("r", 100, 10).withErrors(0).withSignal("pool").build();
		AdaptiveRates rates = rates(measured);
		AdaptiveRate rate = Objects.requireNonNull(rates.of(measured));
		BucketStore slow = new DelegatingBucketStore(this.memory) {

			@Override
			public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
				AcquireResult result = super.acquire(charges, failureFlag);
				fail(10, rate);
				AdaptiveRatesTests.this.ticker.advance(Duration.ofSeconds(1));
				return result;
			}

		};
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
		Rule measured = rule("r", 100, 10).withErrors(0).withSignal("pool").build();
		AdaptiveRates rates = rates(measured);
		begin(10, rates, measured);
		reduce(rates);
		AdaptiveRates reloaded = rates(measured);
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
		Rule measured = rule("r", 100, 10).withErrors(0).withSignal("pool").build();
		AdaptiveRates first = rates(measured);
		AdaptiveRates second = rates(measured);
		this.ticker.advance(Duration.ofSeconds(20));
		second.update(this.memory);
		begin(10, second, measured);
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
		fail(10, Objects.requireNonNull(rates.of(failing)));
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
	void newInstanceHasTheRateOfTheOthers() {
		AdaptiveRates first = rates();
		reduce(first);
		AdaptiveRates started = rates();
		started.update(this.memory);
		assertThat(share(started)).isEqualTo(0.8);
	}

	@Test
	void newInstanceHasTheMinimumOfTheOthers() {
		AdaptiveRates first = rates();
		this.overloaded.set(true);
		for (int second = 0; second < 120; second++) {
			update(first, this.memory);
		}
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
		for (int second = 0; second < 60; second++) {
			update(rates, unreachable);
		}
		assertThat(share(rates)).isEqualTo(0.1);
		update(rates, this.memory);
		assertThat(share(rates)).as("the store has a full bucket").isEqualTo(0.1);
		this.overloaded.set(false);
		for (int second = 0; second < 63; second++) {
			update(rates, unreachable);
		}
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
		AdaptiveRate rate = Objects.requireNonNull(rates.of(first));
		this.overloaded.set(true);
		update(rates, this.memory);
		AdaptiveRate added = Objects.requireNonNull(rates.of(second));
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
			assertThat(Objects.requireNonNull(rates.of(rule)).share()).isEqualByComparingTo("1");
		}
	}

	@Test
	void measurementsContinueAfterAReload() {
		Rule measured = rule("r", 100, 10).withErrors(0).build();
		AdaptiveRates before = new AdaptiveRates(Map.of(), this.ticker);
		AdaptiveRate rate = Objects.requireNonNull(before.of(measured));
		fail(9, rate);
		RequestInFlight inFlight = rate.begin("alice");
		AdaptiveRates reloaded = new AdaptiveRates(Map.of(), this.ticker);
		reloaded.of(measured);
		reloaded.continueFrom(before);
		inFlight.end(true);
		update(reloaded, this.memory);
		assertThat(Objects.requireNonNull(reloaded.of(measured)).share()).isEqualByComparingTo("0.8");
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
		for (int second = 0; second < 40; second++) {
			update(rates, full);
		}
		assertThat(share(rates)).isEqualTo(0.1);
	}

	@Test
	void additionOfARuleIsReported() {
		AtomicBoolean added = new AtomicBoolean();
		AdaptiveRates rates = new AdaptiveRates(Map.of("pool", this.overloaded::get), this.ticker);
		rates.whenAdded(() -> added.set(true));
		rates.of(this.rule);
		assertThat(added).isTrue();
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
		return Objects.requireNonNull(rates.of(this.rule)).share().doubleValue();
	}

	/** Begins requests, which do not end. */
	private static void begin(int requests, AdaptiveRates rates, Rule rule) {
		for (int i = 0; i < requests; i++) {
			Objects.requireNonNull(rates.of(rule)).begin("caller " + i);
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
		for (int i = 0; i < seconds; i++) {
			update(rates, this.memory);
		}
	}

	/** Updates the rates after a second. */
	private void update(AdaptiveRates rates, BucketStore store) {
		this.ticker.advance(Duration.ofSeconds(1));
		rates.update(store);
	}

}
