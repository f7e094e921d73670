package io.tierlimit.option.adaptive;

import java.time.Duration;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.tierlimit.option.adaptive.Plant.Second;
import io.tierlimit.rule.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.tierlimit.option.adaptive.AdaptiveRules.rule;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the control loop with a simulated service: load steps, failures, several
 * instances, and priorities. Rules recover within a minute.
 */
class PlantTests {

	private static final int FULL_RATE = 200;

	private static final int MIN_RATE = 10;

	private final AtomicBoolean overloaded = new AtomicBoolean();

	private final Rule rule = rule("all", FULL_RATE, MIN_RATE).withLatency(Duration.ofMillis(200)).build();

	@Test
	void healthyServiceIsNotLimited() {
		Plant plant = new Plant(250);
		plant.demand(this.rule, FULL_RATE);
		assertThat(plant.run(120)).allSatisfy((second) -> assertThat(second.all()).isEqualTo(FULL_RATE));
	}

	@ParameterizedTest
	@CsvSource({ "1, 100, 300", "1, 140, 2000", "1, 180, 300", "2, 100, 300", "5, 100, 300", "1, 100, 120" })
	void oscillationIsBoundedAfterTheBacklogIsServed(int instances, int capacity, int demand) {
		Plant plant = new Plant(300, instances, Map.of());
		plant.demand(this.rule, demand);
		plant.run(20);
		plant.capacity(capacity);
		plant.run(60);
		IntSummaryStatistics admitted = plant.run(300).stream().mapToInt(Second::all).summaryStatistics();
		// The bounds for a capacity of at least half of the rate.
		assertThat(admitted.getMin()).isGreaterThanOrEqualTo(capacity * 60 / 100);
		assertThat(admitted.getMax()).isLessThanOrEqualTo(capacity * 120 / 100);
		assertThat(admitted.getAverage()).isBetween(capacity * 0.85, (double) capacity);
		assertThat(plant.queued()).as("the latency").isLessThanOrEqualTo(capacity / 2);
	}

	@Test
	void backlogOfMinutesIsServedAtTheMinimumRate() {
		Plant plant = new Plant(300);
		plant.demand(this.rule, 300);
		plant.run(20);
		plant.capacity(30);
		List<Second> overloaded = plant.run(120);
		assertThat(overloaded).anySatisfy((second) -> assertThat(second.queued()).isGreaterThan(1000));
		assertThat(plant.queued()).isLessThan(30);
		IntSummaryStatistics admitted = plant.run(120).stream().mapToInt(Second::all).summaryStatistics();
		assertThat(admitted.getMin()).as("starvation").isGreaterThanOrEqualTo(MIN_RATE);
		assertThat(admitted.getAverage()).isBetween(20.0, 30.0);
	}

	@ParameterizedTest
	@ValueSource(ints = { 30, 100, 180 })
	void rateRecoversWithinTheRecovery(int capacity) {
		Plant plant = new Plant(300);
		plant.demand(this.rule, 300);
		plant.capacity(capacity);
		plant.run(240);
		assertThat(plant.share(this.rule)).isLessThan(1);
		plant.capacity(300);
		plant.run(65);
		assertThat(plant.share(this.rule)).isEqualTo(1);
		assertThat(plant.run(60)).allSatisfy((second) -> assertThat(second.all()).isEqualTo(FULL_RATE));
	}

	@Test
	void rulesOfAResourceWithFewRequestsRecover() {
		Plant plant = new Plant(300);
		List<Rule> rare = Stream.of("first", "second")
			.map((id) -> rule(id, FULL_RATE, MIN_RATE).withErrors(0.05).resource("shop").build())
			.toList();
		plant.demand(rare.get(0), 0.2);
		plant.run(2);
		plant.demand(rare.get(1), 0.2);
		plant.fails(true);
		plant.run(120);
		plant.fails(false);
		plant.run(20);
		assertThat(rare).allSatisfy((rule) -> assertThat(plant.share(rule)).isLessThan(1));
		// Ten requests take 50 seconds.
		plant.run(50 + 65);
		assertThat(rare).allSatisfy((rule) -> assertThat(plant.share(rule)).isEqualTo(1));
	}

	@ParameterizedTest
	@CsvSource({ "1, 60", "10, 60", "30, 60", "5, 10" })
	void hangingServiceStaysAtTheMinimumWhateverTheTarget(int target, int recovery) {
		Rule slow = rule("slow", FULL_RATE, MIN_RATE).withLatency(Duration.ofSeconds(target))
			.recovery(Duration.ofSeconds(recovery))
			.build();
		Plant plant = new Plant(300);
		plant.demand(slow, 150);
		plant.run(20);
		plant.hangs(true);
		// Fourteen decreases, each after an evaluation.
		plant.run(14 * (target + 3));
		assertThat(plant.run(30)).allSatisfy((second) -> assertThat(second.all()).isEqualTo(MIN_RATE));
	}

	@ParameterizedTest(name = "{0} instances, errors are also measured: {1}")
	@CsvSource({ "1, false", "1, true", "3, false", "3, true" })
	void rateOnlyFallsWhileEveryRequestIsSlow(int instances, boolean errors) {
		AdaptiveRules rules = rule("slow", 40L * instances, 2L * instances).withLatency(Duration.ofMillis(400))
			.recovery(Duration.ofSeconds(20));
		Rule slow = (errors ? rules.withErrors(0.05) : rules).build();
		Plant plant = new Plant(300, instances, Map.of());
		plant.demand(slow, 30.0 * instances);
		plant.run(20);
		plant.latency(Duration.ofMillis(800));
		List<Double> before = plant.shares(slow);
		// Each of several instances needs five seconds for the last requests of an
		// evaluation.
		for (int second = 0; second < 60 + 5 * (instances - 1); second++) {
			plant.run(1);
			List<Double> after = plant.shares(slow);
			for (int i = 0; i < instances; i++) {
				assertThat(after.get(i)).as("after %d seconds", second).isLessThanOrEqualTo(before.get(i));
			}
			before = after;
		}
		assertThat(before).containsOnly(0.05);
		plant.latency(Duration.ofMillis(50));
		// Ten requests take five seconds.
		plant.run(5 + 25);
		assertThat(plant.shares(slow)).containsOnly(1.0);
	}

	@Test
	void fewRequestsThatAllFailReduceToTheMinimum() {
		Rule rare = rule("rare", 10, 1).withErrors(0.05).build();
		Plant plant = new Plant(300);
		plant.demand(rare, 3);
		plant.fails(true);
		plant.run(300);
		assertThat(plant.share(rare)).isLessThan(0.2);
	}

	@Test
	void instancesHaveTheSameRate() {
		Plant plant = new Plant(300, 3, Map.of());
		plant.demand(this.rule, 300);
		plant.capacity(100);
		for (int second = 0; second < 120; second++) {
			plant.run(1);
			List<Double> shares = plant.shares(this.rule);
			// An instance reads the decreases of other instances within a second. It does
			// not follow an increase until its own measurements are healthy.
			double next = shares.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
			assertThat(shares).allSatisfy((share) -> assertThat(share).isBetween(next, next / 0.64 + 0.05));
		}
	}

	@Test
	void lowerPriorityIsReducedFirst() {
		Rule batch = rule("batch", 100, 5).withLatency(Duration.ofMillis(200)).resource("shop").priority(1).build();
		Rule browse = rule("browse", 100, 5).withLatency(Duration.ofMillis(200)).resource("shop").priority(2).build();
		Plant plant = new Plant(300);
		plant.demand(batch, 150);
		plant.demand(browse, 150);
		plant.run(10);
		plant.capacity(150);
		plant.run(60);
		assertThat(plant.run(120)).allSatisfy((second) -> {
			assertThat(second.of(browse)).isEqualTo(100);
			assertThat(second.of(batch)).isBetween(5, 80);
		});
		plant.capacity(60);
		plant.run(60);
		List<Second> overloaded = plant.run(120);
		assertThat(overloaded).allSatisfy((second) -> assertThat(second.of(batch)).isBetween(5, 40));
		assertThat(overloaded.stream().mapToInt((second) -> second.of(browse)).average().orElseThrow())
			.isGreaterThan(3 * overloaded.stream().mapToInt((second) -> second.of(batch)).average().orElseThrow());
		plant.capacity(300);
		plant.run(30);
		assertThat(plant.share(browse)).as("recovers first").isGreaterThan(plant.share(batch));
		plant.run(95);
		assertThat(plant.share(browse)).isEqualTo(1);
		assertThat(plant.share(batch)).as("recovers in one more minute").isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("overloads")
	void overloadReducesToTheMinimumUntilItEnds(AdaptiveRules measured, BiConsumer<Plant, Boolean> overload) {
		Rule measuring = measured.build();
		Plant plant = new Plant(300, 1, Map.of("pool", this.overloaded::get));
		plant.demand(measuring, 150);
		plant.run(20);
		assertThat(plant.share(measuring)).isEqualTo(1);
		overload.accept(plant, true);
		this.overloaded.set(true);
		plant.run(60);
		assertThat(plant.run(10)).allSatisfy((second) -> assertThat(second.all()).isEqualTo(MIN_RATE));
		overload.accept(plant, false);
		this.overloaded.set(false);
		plant.run(70);
		assertThat(plant.share(measuring)).isEqualTo(1);
	}

	static Stream<Arguments> overloads() {
		BiConsumer<Plant, Boolean> hangs = Plant::hangs;
		BiConsumer<Plant, Boolean> fails = Plant::fails;
		BiConsumer<Plant, Boolean> signals = (plant, active) -> {
		};
		return Stream.of(Arguments.of(rule("latency", FULL_RATE, MIN_RATE).withLatency(Duration.ofMillis(200)), hangs),
				Arguments.of(rule("errors", FULL_RATE, MIN_RATE).withErrors(0.05), fails),
				Arguments.of(rule("signal", FULL_RATE, MIN_RATE).withSignal("pool"), signals));
	}

}
