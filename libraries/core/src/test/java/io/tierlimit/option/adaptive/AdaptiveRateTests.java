package io.tierlimit.option.adaptive;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.tierlimit.option.adaptive.AdaptiveRules.rule;
import static org.assertj.core.api.Assertions.assertThat;

class AdaptiveRateTests {

	private static final Rate RATE = Rate.parse("100/s");

	private final AdaptiveRate rate = rate(rule("r", 100, 7).withErrors(0.05).build());

	@Test
	void fullRateIsTheConfiguredLimit() {
		TokenBucket limit = new TokenBucket(RATE);
		assertThat(this.rate.reduce(limit)).isSameAs(limit);
	}

	@ParameterizedTest
	@MethodSource("limits")
	void reducesTheRateOfEachAlgorithm(Limit limit, Limit half) {
		this.rate.setShare(0.5);
		assertThat(this.rate.reduce(limit)).isEqualTo(half);
		assertThat(this.rate.reduce(limit)).as("calculated once").isSameAs(this.rate.reduce(limit));
	}

	static Stream<Limit[]> limits() {
		return Stream.of(
				new Limit[] { new TokenBucket(RATE, 30), new TokenBucket(new Rate(100, Duration.ofSeconds(2)), 30) },
				new Limit[] { new LeakyBucket(RATE), new LeakyBucket(new Rate(100, Duration.ofSeconds(2))) },
				new Limit[] { new FixedWindow(RATE), new FixedWindow(Rate.parse("50/s"), 100, null) },
				new Limit[] { new SlidingWindow(RATE), new SlidingWindow(Rate.parse("50/s")) },
				new Limit[] { new SlidingLog(RATE), new SlidingLog(Rate.parse("50/s")) });
	}

	@Test
	void slidingLimitStillAllowsTheCostOfTheRule() {
		AdaptiveRate costly = rate(rule("r", 100, 7).withErrors(0.05).build().cost("20"));
		costly.setShare(0);
		assertThat(costly.reduce(new SlidingLog(RATE)).capacity()).isEqualTo(20);
	}

	@Test
	void slidingLimitStillAllowsTheCostOfEachVariant() {
		Rule rule = rule("r", 100, 7).withErrors(0.05).build();
		AdaptiveRates rates = new AdaptiveRates(Map.of(), new SimulatedTicker());
		AdaptiveRate costly = Objects.requireNonNull(rates.of(rule));
		costly.setShare(0);
		assertThat(costly.reduce(new SlidingLog(RATE)).capacity()).isEqualTo(7);
		assertThat(rates.of(rule.cost("20"))).isSameAs(costly);
		assertThat(costly.reduce(new SlidingLog(RATE)).capacity()).isEqualTo(20);
		rates.of(rule.cost("3"));
		assertThat(costly.reduce(new SlidingLog(RATE)).capacity()).isEqualTo(20);
	}

	@Test
	void shareIsAMultipleOfTwoPercent() {
		this.rate.setShare(0.779);
		assertThat(this.rate.share()).isEqualByComparingTo("0.76");
	}

	@Test
	void minimumIsExact() {
		this.rate.setShare(0.01);
		assertThat(this.rate.share()).isEqualByComparingTo("0.07");
		assertThat(this.rate.reduce(new SlidingLog(RATE)).rate()).isEqualTo(Rate.parse("7/s"));
	}

	@Test
	void minimumIsNotRoundedDown() {
		AdaptiveRate third = rate(rule("r", 9, 3).withErrors(0.05).build());
		third.setShare(0);
		assertThat(third.reduce(new SlidingLog(Rate.parse("9/s"))).rate()).isEqualTo(Rate.parse("3/s"));
		assertThat(third.reduce(new FixedWindow(Rate.parse("9/s"))).rate()).isEqualTo(Rate.parse("3/s"));
	}

	private static AdaptiveRate rate(Rule rule) {
		return new AdaptiveRate(rule, Objects.requireNonNull(rule.options().find(AdaptivePolicy.class)),
				new SimulatedTicker());
	}

}
