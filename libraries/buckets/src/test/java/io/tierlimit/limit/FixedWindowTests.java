package io.tierlimit.limit;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.stream.Stream;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class FixedWindowTests {

	private final BucketState state = new BucketState(Long.MIN_VALUE);

	@Test
	void daysBeginAtTheConfiguredStart() {
		FixedWindow limit = new FixedWindow(Rate.parse("3/d"), 3, Duration.ofHours(7));
		assertThat(admitted(limit, "2026-11-21T06:00:00Z")).isEqualTo(3);
		assertThat(admitted(limit, "2026-11-21T06:59:59.999999Z")).isZero();
		assertThat(limit.peek(this.state, 1, ticks("2026-11-21T06:30:00Z")).retryAfter())
			.isEqualTo(Duration.ofMinutes(30));
		assertThat(admitted(limit, "2026-11-21T07:00:00Z")).isEqualTo(3);
		assertThat(admitted(limit, "2026-11-22T06:59:59Z")).isZero();
	}

	@Test
	void windowsOfDifferentKeysStartAtDifferentMoments() {
		FixedWindow limit = new FixedWindow(Rate.parse("1/h"));
		Random random = new Random(1);
		long[] phases = random.longs(1000, 0, Long.MAX_VALUE).map(limit::phase).sorted().toArray();
		assertThat(phases[0]).isGreaterThanOrEqualTo(0);
		assertThat(phases[999]).isLessThan(limit.rate().periodTicks());
		for (int quarter = 1; quarter < 4; quarter++) {
			assertThat(phases[quarter * 250]).isCloseTo(quarter * limit.rate().periodTicks() / 4,
					Offset.offset(limit.rate().periodTicks() / 16));
		}
		BucketState early = new BucketState(Long.MIN_VALUE, 0);
		BucketState late = new BucketState(Long.MIN_VALUE, Duration.ofMinutes(20).toNanos() / 1000);
		long now = ticks("2026-11-21T12:15:00Z");
		assertThat(limit.acquire(early, 1, now).resetAfter()).isEqualTo(Duration.ofMinutes(45));
		assertThat(limit.acquire(late, 1, now).resetAfter()).isEqualTo(Duration.ofMinutes(5));
	}

	@Test
	void chargeOfAnEarlierWindowIsNotRefundedInTheNextOne() {
		FixedWindow limit = new FixedWindow(Rate.parse("5/h"), 5, Duration.ZERO);
		long before = ticks("2026-11-21T12:59:59.999999Z");
		long after = ticks("2026-11-21T13:00:00Z");
		limit.acquire(this.state, 5, before);
		Receipt first = this.state.receipt();
		assertThat(admitted(limit, "2026-11-21T13:00:00Z")).isEqualTo(5);
		Receipt last = this.state.receipt();
		limit.refund(this.state, 5, first, after + 1);
		assertThat(limit.remaining(this.state, after + 1)).as("at most the burst in one window").isZero();
		limit.refund(this.state, 2, last, after + 2);
		assertThat(limit.remaining(this.state, after + 2)).isEqualTo(2);
	}

	@Test
	void permitsThatWouldHaveRolledOverAreRefunded() {
		FixedWindow limit = new FixedWindow(Rate.parse("10/m"), 20, Duration.ZERO);
		long first = ticks("2026-11-21T12:00:30Z");
		long second = ticks("2026-11-21T12:01:30Z");
		limit.acquire(this.state, 15, first);
		limit.refund(this.state, 15, this.state.receipt(), second);
		assertThat(limit.remaining(this.state, second)).as("exact, without other charges").isEqualTo(20);
		this.state.reset(first);
		BucketState other = new BucketState(Long.MIN_VALUE);
		limit.acquire(other, 15, first);
		Receipt receipt = other.receipt();
		limit.acquire(other, 1, second);
		limit.refund(other, 15, receipt, second);
		assertThat(limit.remaining(other, second)).isEqualTo(19);
	}

	@Test
	void quotaIsThePermitsAndThePeriod() {
		FixedWindow limit = new FixedWindow(Rate.parse("10/m"), 20, Duration.ZERO);
		assertThat(limit.quota()).isEqualTo(10);
		assertThat(limit.quotaWindow()).isEqualTo(60_000_000);
		Decision decision = limit.acquire(this.state, 1, ticks("2026-11-21T12:00:45Z"));
		assertThat(limit.quotaWindow(decision)).isEqualTo(15_000_000);
		assertThat(limit.timeToFull()).isEqualTo(120_000_000);
	}

	@Test
	void bucketIsFullForAnotherAlgorithm() {
		FixedWindow window = new FixedWindow(Rate.parse("10/m"));
		TokenBucket bucket = new TokenBucket(Rate.parse("10/m"));
		long now = ticks("2026-11-21T12:00:00Z");
		bucket.acquire(this.state, 10, now);
		assertThat(window.remaining(this.state, now)).isEqualTo(10);
		window.acquire(this.state, 4, now);
		assertThat(window.remaining(this.state, now)).isEqualTo(6);
		assertThat(bucket.remaining(this.state, now)).isEqualTo(10);
	}

	@Test
	void changedLimitKeepsConsumedPermits() {
		long now = ticks("2026-11-21T12:00:30Z");
		new FixedWindow(Rate.parse("10/m"), 10, Duration.ZERO).acquire(this.state, 8, now);
		assertThat(new FixedWindow(Rate.parse("20/m"), 20, Duration.ZERO).remaining(this.state, now)).isEqualTo(12);
		assertThat(new FixedWindow(Rate.parse("5/m"), 5, Duration.ZERO).remaining(this.state, now)).isZero();
		assertThat(new FixedWindow(Rate.parse("5/h"), 9, Duration.ZERO).remaining(this.state, now)).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "10/m, 9, PT0S, burst must be from 10",
			"10/m, 10, PT1M, window.start must be at least 0 and shorter than the period",
			"10/m, 10, PT-1S, shorter than the period",
			"10/m, 10, PT0.0000001S, window.start must be a whole number of microseconds",
			"1/d, 3651, PT0S, burst must refill within 3650 days", "10/m, 1000000000001, PT0S, must be from 10" })
	void rejectsInvalidWindows(String rate, long burst, Duration start, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> new FixedWindow(Rate.parse(rate), burst, start))
			.withMessageContaining(message);
	}

	@ParameterizedTest
	@CsvSource({ "1/d, 3650", "1000000000000/s, 1000000000000", "1/3650d, 1" })
	void acceptsTheLargestWindows(String rate, long burst) {
		assertThat(new FixedWindow(Rate.parse(rate), burst, Duration.ZERO).capacity()).isEqualTo(burst);
	}

	@ParameterizedTest
	@CsvSource({ "10/s, 100, 0.25, 1, 2/s, 25", "10/s, 100, 1, 1, 10/s, 100", "10/m, 10, 0.05, 1, 1/2m, 1",
			"3/s, 3, 0.5, 1, 1/s, 1", "3/s, 3, 0.5, 3, 1/s, 3", "1/d, 1, 0.5, 1, 1/2d, 1" })
	void scalesIssuedPermitsAndBurst(String rate, long burst, BigDecimal scale, long atLeast, String expectedRate,
			long expectedBurst) {
		FixedWindow part = new FixedWindow(Rate.parse(rate), burst, Duration.ZERO).scale(scale, atLeast);
		assertThat(part.rate()).isEqualTo(Rate.parse(expectedRate));
		assertThat(part.burst()).isEqualTo(expectedBurst);
	}

	@Test
	void everyLimitCanBeScaled() {
		Random random = new Random(1);
		for (int i = 0; i < 10_000; i++) {
			Rate rate = new Rate(1 + random.nextLong(1L << random.nextInt(1, 39)),
					Duration.of(1 + random.nextLong(1L << random.nextInt(1, 48)), ChronoUnit.MICROS));
			long windows = new Rate(1, Rate.MAX_PERIOD).periodTicks() / rate.periodTicks();
			double most = Math.min(Rate.MAX_PERMITS, (double) rate.permits() * windows);
			long burst = rate.permits() + random.nextLong((long) most - rate.permits() + 1);
			long cost = 1 + random.nextLong(burst);
			FixedWindow part = new FixedWindow(rate, burst, null).scale(BigDecimal.valueOf(1 + random.nextInt(1000), 3),
					cost);
			assertThat(part.capacity()).isBetween(cost, burst);
			assertThat(part.rate().periodTicks()).isGreaterThanOrEqualTo(rate.periodTicks());
		}
	}

	private long admitted(FixedWindow limit, String moment) {
		long admitted = 0;
		while (limit.acquire(this.state, 1, ticks(moment)).allowed()) {
			admitted++;
		}
		return admitted;
	}

	private static long ticks(String moment) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(moment));
	}

	@Test
	void bucketsThatSavePermitsHaveABurst() {
		assertThat(Stream.of(Algorithm.values()).filter(Algorithm::hasBurst)).containsExactly(Algorithm.TOKEN_BUCKET,
				Algorithm.FIXED_WINDOW);
	}

}
