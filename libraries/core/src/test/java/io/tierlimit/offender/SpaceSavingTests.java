package io.tierlimit.offender;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
	void countsAreBoundsOfTheTruthAfterEachKey(Map.Entry<String, List<String>> stream) {
		long length = 0;
		for (String key : stream.getValue()) {
			this.summary.add(key, null);
			this.truth.merge(key, 1L, Long::sum);
			length++;
			this.truth.forEach(this::assertBounds);
			List<Counter> counters = this.summary.counters();
			assertThat(counters).hasSizeLessThanOrEqualTo(CAPACITY);
			assertThat(counters).extracting(Counter::atMost)
				.isSortedAccordingTo((one, other) -> Long.compare(other, one));
			assertThat(counters).allMatch((counter) -> counter.equals(this.summary.counter(counter.key())));
			assertThat(counters.stream().mapToLong(Counter::atMost).sum()).as("the length of the stream")
				.isEqualTo(this.summary.total())
				.isEqualTo(length);
		}
	}

	/** A key with a larger share than a counter has a counter. */
	private void assertBounds(String key, long count) {
		Counter counter = this.summary.counter(key);
		if (counter != null) {
			assertThat(counter.key()).isEqualTo(key);
			assertThat(count).as(key).isBetween(counter.atLeast(), counter.atMost());
		}
		else {
			assertThat(count).as(key).isLessThanOrEqualTo(this.summary.smallest());
			assertThat(count * CAPACITY).as(key).isLessThanOrEqualTo(this.summary.total());
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

}
