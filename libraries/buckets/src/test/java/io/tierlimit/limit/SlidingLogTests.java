package io.tierlimit.limit;

import java.math.BigDecimal;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SlidingLogTests {

	private final BucketState state = new BucketState(Long.MIN_VALUE);

	private final SlidingLog limit = new SlidingLog(new Rate(3, Duration.ofMillis(1)));

	@Test
	void refundWithoutReceiptRemovesTheLatestEntries() {
		this.limit.acquire(this.state, 1, 0);
		this.limit.acquire(this.state, 1, 500);
		this.limit.acquire(this.state, 1, 700);
		this.limit.refund(this.state, 2, 800);
		assertThat(this.limit.remaining(this.state, 800)).isEqualTo(2);
		assertThat(this.limit.peek(this.state, 3, 800).retryAfterTicks()).isEqualTo(200);
	}

	@Test
	void lowerLimitCountsAllEarlierCharges() {
		this.limit.acquire(this.state, 2, 0);
		this.limit.acquire(this.state, 1, 400);
		SlidingLog lower = new SlidingLog(new Rate(1, this.limit.rate().period()));
		assertThat(lower.peek(this.state, 1, 500).retryAfterTicks()).isEqualTo(900);
		assertThat(lower.peek(this.state, 1, 500).nextPermitTicks()).isEqualTo(900);
		SlidingLog shorter = new SlidingLog(new Rate(3, this.limit.rate().period().dividedBy(2)));
		assertThat(shorter.remaining(this.state, 500)).isEqualTo(2);
	}

	@Test
	void expiredEntriesAreRemoved() {
		for (int i = 0; i < 100_000; i++) {
			this.limit.acquire(this.state, 1, 334L * i);
		}
		assertThat(PackedState.pack(this.state)).hasSizeLessThanOrEqualTo(73 + 3 * 10);
	}

	@ParameterizedTest
	@CsvSource({ "100/10s, 0.25, 1, 25/10s", "3/s, 0.5, 3, 3/s", "1/m, 0.5, 1, 1/2m" })
	void scalesPermits(String rate, BigDecimal scale, long atLeast, String expected) {
		assertThat(new SlidingLog(Rate.parse(rate)).scale(scale, atLeast).rate()).isEqualTo(Rate.parse(expected));
	}

	@Test
	void rejectsTooManyPermits() {
		assertThatIllegalArgumentException().isThrownBy(() -> new SlidingLog(Rate.parse("1001/d")))
			.withMessageContaining("at most 1000 permits")
			.withMessageContaining("sliding window");
	}

}
