package io.tierlimit.limit;

import java.math.BigDecimal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SlidingWindowTests {

	private static final long SECOND = 1_000_000;

	private final BucketState state = new BucketState(Long.MIN_VALUE);

	private final SlidingWindow limit = new SlidingWindow(Rate.parse("100/10s"));

	@Test
	void burstAtTheEndOfAWindowIsTheWorstCase() {
		long end = 10 * SECOND - 1;
		this.limit.acquire(this.state, 100, end);
		long admitted = 100;
		for (long now = 10 * SECOND; now < end + 10 * SECOND; now += SECOND / 100) {
			admitted += this.limit.acquire(this.state, 1, now).allowed() ? 1 : 0;
		}
		assertThat(admitted).as("never twice the permits").isEqualTo(199);
	}

	@Test
	void quotaIsThePermitsAndThePeriod() {
		assertThat(this.limit.quota()).isEqualTo(100);
		assertThat(this.limit.quotaWindow()).isEqualTo(10 * SECOND);
		Decision decision = this.limit.acquire(this.state, 80, 5 * SECOND);
		assertThat(decision.resetTicks()).isEqualTo(15 * SECOND);
		assertThat(this.limit.quotaWindow(decision)).isEqualTo(decision.nextPermitTicks());
	}

	@Test
	void changedPeriodKeepsConsumedPermits() {
		this.limit.acquire(this.state, 30, 9 * SECOND);
		this.limit.acquire(this.state, 20, 11 * SECOND);
		assertThat(new SlidingWindow(Rate.parse("100/m")).remaining(this.state, 12 * SECOND)).isEqualTo(50);
		assertThat(new SlidingWindow(Rate.parse("40/10s")).remaining(this.state, 11 * SECOND)).isZero();
	}

	@Test
	void refundsChargesOfBothWindows() {
		this.limit.acquire(this.state, 30, 9 * SECOND);
		this.limit.acquire(this.state, 20, 11 * SECOND);
		this.limit.refund(this.state, 25, 11 * SECOND);
		assertThat(this.limit.peek(this.state, 100, 19 * SECOND)).extracting(Decision::retryAfterTicks)
			.isEqualTo(SECOND);
		this.limit.refund(this.state, 25, 11 * SECOND);
		assertThat(this.limit.isFull(this.state, 11 * SECOND)).isTrue();
	}

	@Test
	void chargeBeforeOthersIsRefunded() {
		this.limit.acquire(this.state, 30, SECOND);
		Receipt receipt = this.state.receipt();
		this.limit.acquire(this.state, 20, 2 * SECOND);
		this.limit.refund(this.state, 30, receipt, 3 * SECOND);
		assertThat(this.limit.remaining(this.state, 3 * SECOND)).isEqualTo(80);
	}

	@Test
	void chargeBeforeAChangeOfThePeriodIsNotRefunded() {
		SlidingWindow slower = new SlidingWindow(Rate.parse("100/20s"));
		this.limit.acquire(this.state, 30, SECOND);
		Receipt receipt = this.state.receipt();
		slower.acquire(this.state, 10, SECOND);
		slower.refund(this.state, 30, receipt, SECOND);
		assertThat(slower.remaining(this.state, SECOND)).isEqualTo(60);
	}

	@Test
	void chargeBeforeALowerLimitIsNotRefunded() {
		SlidingWindow lower = new SlidingWindow(Rate.parse("30/10s"));
		this.limit.acquire(this.state, 40, 9 * SECOND);
		this.limit.acquire(this.state, 10, 11 * SECOND);
		Receipt receipt = this.state.receipt();
		lower.acquire(this.state, 0, 11 * SECOND);
		lower.refund(this.state, 10, receipt, 11 * SECOND);
		assertThat(lower.peek(this.state, 30, 20 * SECOND).retryAfterTicks()).as("10 of the present window are counted")
			.isEqualTo(10 * SECOND);
	}

	@ParameterizedTest
	@CsvSource({ "100/10s, 0.25, 1, 25/10s", "100/10s, 0.25, 40, 40/10s", "1/m, 0.5, 1, 1/2m",
			"1/1500d, 0.1, 1, 1/1825d" })
	void scalesPermits(String rate, BigDecimal scale, long atLeast, String expected) {
		assertThat(new SlidingWindow(Rate.parse(rate)).scale(scale, atLeast).rate()).isEqualTo(Rate.parse(expected));
	}

	@Test
	void rejectsTooLongPeriods() {
		assertThatIllegalArgumentException().isThrownBy(() -> new SlidingWindow(Rate.parse("1/1826d")))
			.withMessageContaining("at most 1825 days");
	}

}
