package io.tierlimit.offender;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.tierlimit.offender.SpaceSaving.Counter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares {@link SpaceSaving} with the true counts of random streams, after each key.
 */
class SpaceSavingTests {

	private static final int CAPACITY = 10;

	private final SpaceSaving summary = new SpaceSaving(CAPACITY);

	private final Map<String, Long> truth = new HashMap<>();

	static Stream<Map.Entry<String, List<String>>> streams() {
		return Streams.all();
	}

	@ParameterizedTest
	@MethodSource("streams")
	void countIsNeverBelowTheTruthAndNeverAboveItByMoreThanTheError(Map.Entry<String, List<String>> stream) {
		for (String key : stream.getValue()) {
			add(key);
			this.truth.forEach((each, count) -> {
				Counter counter = this.summary.counter(each);
				if (counter != null) {
					assertThat(count).as(each).isBetween(counter.atLeast(), counter.atMost());
				}
				else {
					assertThat(count).as(each + " without a counter").isLessThanOrEqualTo(this.summary.smallest());
				}
			});
		}
	}

	@ParameterizedTest
	@MethodSource("streams")
	void keyWithALargerShareThanACounterHasOne(Map.Entry<String, List<String>> stream) {
		for (String key : stream.getValue()) {
			add(key);
			this.truth.forEach((each, count) -> {
				if (count * CAPACITY > this.summary.total()) {
					assertThat(this.summary.counter(each)).as(each).isNotNull();
				}
			});
		}
	}

	@ParameterizedTest
	@MethodSource("streams")
	void sumOfCountsIsTheLengthOfTheStream(Map.Entry<String, List<String>> stream) {
		long length = 0;
		for (String key : stream.getValue()) {
			add(key);
			length++;
			assertThat(this.summary.total()).isEqualTo(length);
			assertThat(this.summary.counters().stream().mapToLong(Counter::atMost).sum()).isEqualTo(length);
		}
	}

	@ParameterizedTest
	@MethodSource("streams")
	void countersAreFewDescendingAndFoundByTheirKeys(Map.Entry<String, List<String>> stream) {
		for (String key : stream.getValue()) {
			add(key);
			List<Counter> counters = this.summary.counters();
			assertThat(counters).hasSizeLessThanOrEqualTo(CAPACITY);
			assertThat(counters).extracting(Counter::atMost)
				.isSortedAccordingTo((one, other) -> Long.compare(other, one));
			Set<Counter> found = new HashSet<>();
			for (String each : this.truth.keySet()) {
				Counter counter = this.summary.counter(each);
				if (counter != null) {
					assertThat(counter.key()).isEqualTo(each);
					found.add(counter);
				}
			}
			assertThat(found).containsExactlyInAnyOrderElementsOf(counters);
		}
	}

	@Test
	void countsAreExactAsLongAsEachKeyHasACounter() {
		for (int i = 1; i <= CAPACITY; i++) {
			for (int times = 0; times < i; times++) {
				this.summary.add("key-" + i, "plan-" + i);
			}
		}
		assertThat(this.summary.smallest()).isEqualTo(1);
		assertThat(this.summary.counters()).hasSize(CAPACITY).allSatisfy((counter) -> {
			long times = Long.parseLong(counter.key().substring("key-".length()));
			assertThat(counter.atLeast()).isEqualTo(times);
			assertThat(counter.atMost()).isEqualTo(times);
			assertThat(counter.plan()).isEqualTo("plan-" + times);
		});
	}

	@Test
	void newKeyTakesOverTheSmallestCounter() {
		SpaceSaving two = new SpaceSaving(2);
		two.add("often", null);
		two.add("often", null);
		two.add("once", "free");
		two.add("new", "pro");
		assertThat(two.counter("once")).isNull();
		Counter counter = two.counters().get(1);
		assertThat(counter.key()).isEqualTo("new");
		assertThat(counter.plan()).isEqualTo("pro");
		assertThat(counter.atLeast()).isEqualTo(1);
		assertThat(counter.atMost()).isEqualTo(2);
	}

	private void add(String key) {
		this.summary.add(key, null);
		this.truth.merge(key, 1L, Long::sum);
	}

}
