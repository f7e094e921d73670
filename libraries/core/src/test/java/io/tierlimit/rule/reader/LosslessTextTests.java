package io.tierlimit.rule.reader;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Random;

import io.tierlimit.LimitDefinition;
import io.tierlimit.RuleDefinition;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.RuleLimits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that rules in code are read with exactly the values that the application has set.
 */
class LosslessTextTests {

	private static final int ROUNDS = 2000;

	private final Random random = new Random(34);

	private final Problems problems = new Problems();

	@Test
	void timesAreReadAsTheyWereSet() {
		for (int i = 0; i < ROUNDS; i++) {
			Duration time = microseconds();
			PropertyReader read = read(RuleDefinition.of("a").maxWait(time).windowStart(time).ban(1, time, time, time));
			for (String property : new String[] { "max-wait", "window.start", "ban.within", "ban.for", "ban.max" }) {
				assertThat(read.value(property, Duration.class)).as(property).isEqualTo(time);
			}
		}
		assertThat(this.problems.sentences()).isEmpty();
	}

	@Test
	void limitsAreReadAsTheyWereSet() {
		for (int i = 0; i < ROUNDS; i++) {
			long permits = 1 + (this.random.nextLong() >>> 1) % Rate.MAX_PERMITS;
			Rate rate = new Rate(permits, microseconds());
			RuleLimits read = limits(RuleDefinition.of("a")
				.rate(rate.permits(), rate.period())
				.burst(permits)
				.plan("a.b [1]-C_d", (plan) -> plan.rate(rate))
				.plan("max", LimitDefinition::unlimited));
			assertThat(read.standard()).isEqualTo(new TokenBucket(rate, permits));
			assertThat(read.plans()).containsOnlyKeys("a.b [1]-C_d", "max");
			assertThat(read.of("a.b [1]-C_d")).isEqualTo(new TokenBucket(rate));
			assertThat(read.of("max")).isNull();
		}
	}

	@Test
	void burstThatIsATimeIsReadAsItWasSet() {
		for (int i = 0; i < ROUNDS; i++) {
			long micros = 1 + microseconds().toNanos() / 1000 % Rate.MAX_PERMITS;
			Duration time = Duration.of(micros, ChronoUnit.MICROS);
			RuleLimits read = limits(RuleDefinition.of("a").rate(1, Duration.of(1, ChronoUnit.MICROS)).burst(time));
			assertThat(read.standard().capacity()).isEqualTo(micros);
		}
	}

	@Test
	void sharesAreReadAsTheyWereSet() {
		for (int i = 0; i < ROUNDS; i++) {
			double share = this.random.nextDouble() * Math.pow(10, -this.random.nextInt(12));
			PropertyReader read = read(
					RuleDefinition.of("a").enforceShare(share).adaptive((adaptive) -> adaptive.maxErrorRate(share)));
			for (String property : new String[] { "enforce-share", "adaptive.max-error-rate" }) {
				assertThat(read.percentage(property)).as(property)
					.extracting((percentage) -> percentage.share().doubleValue())
					.isEqualTo(share);
			}
		}
		assertThat(this.problems.sentences()).isEmpty();
	}

	@Test
	void listsAreReadAsTheyWereSet() {
		PropertyReader read = read(RuleDefinition.of("a").paths("/a,b", " /c", "/{x:[0-9]{1,3}}").scope("user"));
		assertThat(read.list("paths")).containsExactly("/a,b", " /c", "/{x:[0-9]{1,3}}");
		assertThat(read.list("scope")).containsExactly("user");
	}

	/** 1 microsecond to about 3,650 days. */
	private Duration microseconds() {
		long most = Rate.MAX_PERIOD.toNanos() / 1000;
		long bits = this.random.nextLong() >>> (1 + this.random.nextInt(62));
		return Duration.of(1 + bits % most, ChronoUnit.MICROS);
	}

	private RuleLimits limits(RuleDefinition definition) {
		RuleLimits limits = new LimitReader(read(definition), Algorithm.TOKEN_BUCKET).read();
		assertThat(this.problems.sentences()).isEmpty();
		return Objects.requireNonNull(limits);
	}

	private PropertyReader read(RuleDefinition definition) {
		TextSource source = (property) -> property;
		PropertyTexts texts = new PropertyTexts(source, PropertyText.of(definition.properties(), source, false));
		return new PropertyReader(texts, new RuleProblems("Rule 'a'", texts, this.problems));
	}

}
