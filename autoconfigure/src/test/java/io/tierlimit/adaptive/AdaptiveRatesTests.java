package io.tierlimit.adaptive;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.spi.StoreBudget;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.tierlimit.adaptive.AdaptiveRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The updates of rates, with and without the store.
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
			public AcquireResult acquire(List<Charge> charges, StoreBudget budget) {
				second.update(AdaptiveRatesTests.this.memory);
				return super.acquire(charges, budget);
			}

		};
		update(first, slow);
		assertThat(share(second)).isEqualTo(0.8);
		update(first, this.memory);
		assertThat(share(first)).isEqualTo(0.8);
	}

	@Test
	void failuresBeforeTheReductionOfAnotherInstanceDoNotCount() {
		Rule measured = rule("r", 100, 10).withErrors(0).withSignal("pool").build();
		AdaptiveRates first = rates(measured);
		AdaptiveRates second = rates(measured);
		AdaptiveRate rate = Objects.requireNonNull(second.of(measured));
		for (int i = 0; i < 10; i++) {
			rate.begin().end(true);
		}
		this.overloaded.set(true);
		update(first, this.memory);
		this.overloaded.set(false);
		this.ticker.advance(Duration.ofSeconds(2));
		update(second, this.memory);
		assertThat(share(second)).isBetween(0.8, 0.86);
	}

	@Test
	void rateDoesNotRiseAfterAReloadBeforeTheResourceIsHealthy() {
		Rule measured = rule("r", 100, 10).withErrors(0).withSignal("pool").build();
		AdaptiveRates rates = rates(measured);
		Objects.requireNonNull(rates.of(measured)).begin();
		this.overloaded.set(true);
		update(rates, this.memory);
		this.overloaded.set(false);
		AdaptiveRates reloaded = rates(measured);
		reloaded.continueFrom(rates);
		for (int second = 0; second < 30; second++) {
			update(reloaded, this.memory);
		}
		assertThat(share(reloaded)).isEqualTo(0.8);
	}

	@Test
	void newInstanceHasTheRateOfTheOthers() {
		AdaptiveRates first = rates();
		this.overloaded.set(true);
		update(first, this.memory);
		this.overloaded.set(false);
		AdaptiveRates started = rates();
		started.update(this.memory);
		assertThat(share(started)).isEqualTo(0.8);
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
		this.overloaded.set(true);
		update(rates, this.memory);
		this.overloaded.set(false);
		this.memory.reset(new BucketKey("(adaptive) r", "level", "adaptive"), new StoreBudget());
		update(rates, this.memory);
		assertThat(share(rates)).isEqualTo(0.8);
		for (int second = 0; second < 13; second++) {
			update(rates, this.memory);
		}
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
			public AcquireResult acquire(List<Charge> charges, StoreBudget budget) {
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
		for (int i = 0; i < 9; i++) {
			rate.begin().end(true);
		}
		RequestInFlight inFlight = rate.begin();
		AdaptiveRates reloaded = new AdaptiveRates(Map.of(), this.ticker);
		reloaded.of(measured);
		reloaded.continueFrom(before);
		inFlight.end(true);
		update(reloaded, this.memory);
		assertThat(Objects.requireNonNull(reloaded.of(measured)).share()).isEqualByComparingTo("0.8");
	}

	@Test
	void rateIsReducedAlsoIfTheMemoryHasNoRoomForItsBucket() {
		InMemoryBucketStore full = new InMemoryBucketStore(this.ticker, 1);
		BucketKey other = new BucketKey("other", "");
		assertThat(full.acquire(List.of(new Charge(other, new TokenBucket(Rate.parse("1/d")), 1)), new StoreBudget())
			.admitted()).isTrue();
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
	void constantRateHasNoAdaptiveOne() {
		AdaptiveRates rates = rates();
		assertThat(rates.of(this.rule.options((options) -> options.adaptive(null)))).isNull();
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

	/** Updates the rates after a second. */
	private void update(AdaptiveRates rates, BucketStore store) {
		this.ticker.advance(Duration.ofSeconds(1));
		rates.update(store);
	}

}
