package io.tierlimit.offender;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RuleOffenders}.
 */
class RuleOffendersTests {

	private static final Instant START = Instant.parse("2030-01-02T03:04:05Z");

	private static final Duration WINDOW = Duration.ofHours(1);

	private final SimulatedTicker clock = new SimulatedTicker();

	private final RuleOffenders offenders = new RuleOffenders(this.clock,
			() -> START.plus(this.clock.ticks(), ChronoUnit.MICROS), 10, WINDOW);

	private final Rule search = TestRules.rule("search", 10);

	private final Rule shadow = TestRules.rule("shadow", 10).options((options) -> options.mode(RuleMode.SHADOW));

	@Test
	void eachRejectionIsCountedForItsBucket() {
		publish(TestDecision.rejected(this.search).onBucket("ada"), TestDecision.rejected(this.shadow).onBucket("ada"),
				TestDecision.allowed(TestRules.rule("all", 10), 9));
		publish(TestDecision.rejected(this.search).onBucket("bob"));
		publish(TestDecision.rejected(this.search).onBucket("bob"));
		publish(TestDecision.allowed(this.search, 9).onBucket("eve"));
		assertThat(this.offenders.of("search"))
			.isEqualTo(new OffenderList(START, 3, List.of(exactly("bob", 2), exactly("ada", 1))));
		assertThat(this.offenders.of("shadow").offenders()).containsExactly(exactly("ada", 1));
		assertThat(this.offenders.of("all")).isEqualTo(new OffenderList(START, 0, List.of()));
	}

	@Test
	void countsIncludeThisWindowAndThePreviousWindow() {
		reject("ada");
		this.clock.advance(WINDOW.minusMillis(1));
		reject("ada");
		this.clock.advance(Duration.ofMillis(1));
		reject("bob");
		assertThat(this.offenders.of("search"))
			.isEqualTo(new OffenderList(START, 3, List.of(exactly("ada", 2), exactly("bob", 1))));
		this.clock.advance(WINDOW.minusMillis(1));
		reject("ada");
		assertThat(this.offenders.of("search"))
			.isEqualTo(new OffenderList(START, 4, List.of(exactly("ada", 3), exactly("bob", 1))));
		this.clock.advance(Duration.ofMillis(1));
		assertThat(this.offenders.of("search"))
			.isEqualTo(new OffenderList(START.plus(WINDOW), 2, List.of(exactly("ada", 1), exactly("bob", 1))));
	}

	@Test
	void keyThatIsNoLongerRejectedDisappears() {
		reject("ada");
		this.clock.advance(WINDOW.multipliedBy(2));
		assertThat(this.offenders.of("search")).isEqualTo(new OffenderList(START.plus(WINDOW), 0, List.of()));
		reject("bob");
		this.clock.advance(WINDOW.multipliedBy(5));
		reject("eve");
		assertThat(this.offenders.of("search"))
			.isEqualTo(new OffenderList(START.plus(WINDOW.multipliedBy(6)), 1, List.of(exactly("eve", 1))));
	}

	@Test
	void clockThatIsSetBackLosesNoCount() {
		Instant[] now = { START };
		RuleOffenders offenders = new RuleOffenders(() -> Duration.between(START, now[0]).toMillis() * 1000,
				() -> now[0], 10, WINDOW);
		now[0] = START.plus(WINDOW);
		publish(offenders, "ada");
		now[0] = START.minus(WINDOW);
		publish(offenders, "ada");
		assertThat(offenders.of("search").offenders()).containsExactly(exactly("ada", 2));
	}

	static Stream<Map.Entry<String, List<String>>> streams() {
		return Streams.all();
	}

	@ParameterizedTest
	@MethodSource("streams")
	void countsOfTwoWindowsAreBoundsAndHaveEachKeyWithALargeShare(Map.Entry<String, List<String>> stream) {
		Random random = new Random(stream.getKey().hashCode());
		Map<Long, List<String>> windows = new HashMap<>();
		long window = 0;
		for (String key : stream.getValue()) {
			if (random.nextInt(100) == 0) {
				int passed = 1 + random.nextInt(2);
				window += passed;
				this.clock.advance(WINDOW.multipliedBy(passed));
			}
			reject(key);
			windows.computeIfAbsent(window, (absent) -> new ArrayList<>()).add(key);
			if (random.nextInt(20) == 0) {
				List<String> recent = new ArrayList<>(windows.get(window));
				recent.addAll(windows.getOrDefault(window - 1, List.of()));
				assertBounds(recent);
			}
		}
	}

	private void assertBounds(List<String> recent) {
		OffenderList list = this.offenders.of("search");
		assertThat(list.rejections()).isEqualTo(recent.size());
		assertThat(list.offenders()).hasSizeLessThanOrEqualTo(20);
		assertThat(list.offenders()).extracting(Offender::atLeast)
			.isSortedAccordingTo((one, other) -> Long.compare(other, one));
		Map<String, Long> truth = new HashMap<>();
		recent.forEach((key) -> truth.merge(key, 1L, Long::sum));
		Set<String> listed = new HashSet<>();
		for (Offender offender : list.offenders()) {
			listed.add(offender.key());
			assertThat(truth.getOrDefault(offender.key(), 0L)).as(offender.key())
				.isBetween(offender.atLeast(), offender.atMost());
		}
		truth.forEach((key, count) -> {
			if (count * 10 > recent.size()) {
				assertThat(listed).contains(key);
			}
		});
	}

	@Test
	void removedRuleLosesItsCounts() {
		reject("ada");
		publish(TestDecision.rejected(this.shadow).onBucket("ada"));
		this.offenders.retain(List.of("search", "new"));
		assertThat(this.offenders.of("search").rejections()).isEqualTo(1);
		assertThat(this.offenders.of("shadow").rejections()).isZero();
	}

	private static Offender exactly(String key, long count) {
		return new Offender(key, null, count, count);
	}

	private void reject(String key) {
		publish(this.offenders, key);
	}

	private void publish(RuleOffenders offenders, String key) {
		offenders.onVerdict(new Verdict(Outcome.REJECTED, List.of(TestDecision.rejected(this.search).onBucket(key))),
				Caller.UNKNOWN);
	}

	private void publish(RuleDecision... decisions) {
		this.offenders.onVerdict(new Verdict(Outcome.REJECTED, List.of(decisions)), Caller.UNKNOWN);
	}

}
