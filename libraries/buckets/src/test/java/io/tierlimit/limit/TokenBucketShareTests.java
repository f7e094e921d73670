package io.tierlimit.limit;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class TokenBucketShareTests {

	@ParameterizedTest
	@CsvSource({ "10/s, 100, 0.25, 1, 25, 4000000", "10/s, 100, 0.29, 1, 29, 3448276", "10/s, 100, 1, 1, 100, 1000000",
			"10/s, 3, 0.25, 1, 1, 4000000", "10/s, 3, 0.25, 2, 2, 4000000", "10/s, 3, 0.25, 4, 3, 4000000",
			"10/s, 3, 0.25, 0, 1, 4000000", "7/m, 7, 0.3, 1, 2, 200000000" })
	void scalesBurstAndRate(String rate, long burst, BigDecimal scale, long atLeast, long expectedBurst,
			long expectedPeriod) {
		Rate whole = Rate.parse(rate);
		TokenBucket part = new TokenBucket(whole, burst).scale(scale, atLeast);
		assertThat(part.burst()).isEqualTo(expectedBurst);
		assertThat(part.rate().permits()).isEqualTo(whole.permits());
		assertThat(part.rate().periodTicks()).isEqualTo(expectedPeriod);
	}

	@Test
	void scaledSlowestLimitStaysValid() {
		TokenBucket slowest = new TokenBucket(new Rate(1, Rate.MAX_PERIOD));
		assertThat(slowest.scale(new BigDecimal("0.1"), 1)).isEqualTo(slowest);
		TokenBucket two = new TokenBucket(new Rate(1, Rate.MAX_PERIOD.dividedBy(2)), 2);
		assertThat(two.scale(new BigDecimal("0.5"), 1)).isEqualTo(new TokenBucket(new Rate(1, Rate.MAX_PERIOD), 1));
		assertThat(two.scale(new BigDecimal("0.5"), 2)).isEqualTo(two);
	}

	@Test
	void everyLimitCanBeScaled() {
		Random random = new Random(1);
		for (int i = 0; i < 10_000; i++) {
			long permits = 1 + random.nextLong(1L << random.nextInt(1, 40)) % Rate.MAX_PERMITS;
			Rate rate = new Rate(permits, Duration.ofSeconds(1 + random.nextLong(1L << random.nextInt(1, 28))));
			long periods = Rate.MAX_PERIOD.toSeconds() / rate.period().toSeconds();
			double longest = Math.min(Rate.MAX_PERMITS, (double) permits * periods);
			TokenBucket limit = new TokenBucket(rate, 1 + random.nextLong((long) longest));
			BigDecimal scale = BigDecimal.valueOf(1 + random.nextInt(1000), 3);
			long cost = 1 + random.nextLong(limit.burst());
			TokenBucket part = limit.scale(scale, cost);
			assertThat(part.burst()).isBetween(cost, limit.burst());
			assertThat(part.rate().periodTicks()).isGreaterThanOrEqualTo(rate.periodTicks());
		}
	}

}
