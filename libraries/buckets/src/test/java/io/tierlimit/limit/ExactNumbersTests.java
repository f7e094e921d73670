package io.tierlimit.limit;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The arithmetic of refunds and reservations with small numbers that show each step, and
 * with numbers next to the bounds. {@link LimitLaws} uses random numbers.
 */
class ExactNumbersTests {

	private static final long LONGEST = 315_360_000_000_000L;

	/** In 10 ticks, 3 permits are earned. */
	private static final Rate RATE = new Rate(3, 10);

	private final BucketState state = new BucketState(0);

	@ParameterizedTest
	@CsvSource({ "5, 0, 0, 5, 0", "5, 0, 7, 3, 1", "5, 4, 11, 3, 1", "5, 0, 10, 2, 0", "5, 0, 16, 1, 8",
			"5, 0, 17, 0, 0", "5, 0, 20, 0, 0" })
	void remainderOfAChargeIsWhatWasNotEarnedSince(long cost, long at, long now, long permits, long lacking) {
		assertThat(new TokenBucket(RATE, 10).remainder(this.state, cost, at, now))
			.isEqualTo(new Remainder(permits, lacking));
	}

	@ParameterizedTest
	@CsvSource({ "5, 0, 9, 5", "5, 0, 10, 2", "5, 15, 29, 2", "5, 15, 30, 0", "5, 0, 20, 0" })
	void remainderOfAChargeIsWhatWasNotIssuedSince(long cost, long at, long now, long permits) {
		assertThat(window(RATE).remainder(this.state, cost, at, now)).isEqualTo(new Remainder(permits, 0));
	}

	@Test
	void remainderIsCalculatedAtTheTimeOfTheState() {
		TokenBucket limit = new TokenBucket(RATE, 10);
		limit.acquire(this.state, 1, 7);
		assertThat(limit.remainder(this.state, 5, 0, 3)).isEqualTo(new Remainder(3, 1));
		assertThat(window(RATE).remainder(this.state, 5, -10, 3)).isEqualTo(new Remainder(2, 0));
	}

	@Test
	void nothingRemainsIfMoreIsEarnedThanALongCounts() {
		TokenBucket limit = new TokenBucket(new Rate(1L << 39, 1));
		assertThat(limit.remainder(this.state, 5, 0, 1L << 24)).isEqualTo(Remainder.NONE);
	}

	@ParameterizedTest
	@CsvSource({ "3, 10, 1, 4", "3, 10, 3, 10", "3, 10, 94608000000000, 315360000000000",
			"1, 315360000000000, 1, 315360000000000", "1, 315360000000000, 2, 9223372036854775807",
			"1, 1, 315360000000001, 315360000000001", "1, 1, 315360000000002, 9223372036854775807" })
	void permitsAreEarnedInTheirTimeOrNever(long permits, long period, long cost, long ticks) {
		assertThat(new TokenBucket(new Rate(permits, period), 1).leastTicksUntil(cost)).isEqualTo(ticks);
	}

	@ParameterizedTest
	@CsvSource({ "3, 10, 1, 1", "3, 10, 3, 1", "3, 10, 4, 11", "3, 10, 7, 21", "3, 10, 94608000000003, 315360000000001",
			"3, 10, 94608000000004, 9223372036854775807", "1, 315360000000000, 2, 315360000000001",
			"1, 315360000000000, 3, 9223372036854775807" })
	void permitsAreIssuedAtTheNextStartsOfWindowsOrNever(long permits, long period, long cost, long ticks) {
		assertThat(window(new Rate(permits, period)).leastTicksUntil(cost)).isEqualTo(ticks);
	}

	@ParameterizedTest
	@CsvSource({ "5, 5", "6, 6", "7, 6" })
	void debtIsPaidWithinTheLongestTime(long debt, long kept) {
		Rate rate = new Rate(3, LONGEST / 2);
		assertThat(new TokenBucket(rate, 1).maxDebt(debt)).isEqualTo(kept);
		assertThat(window(rate).maxDebt(debt)).isEqualTo(kept);
	}

	@Test
	void debtThatIsPaidInTheLongestTimeIsNotRounded() {
		assertThat(new TokenBucket(new Rate(2, 1)).maxDebt(2 * LONGEST - 1)).isEqualTo(2 * LONGEST - 1);
	}

	@Test
	void refundWithoutAReceiptPaysNoDebt() {
		TokenBucket limit = new TokenBucket(RATE, 10);
		limit.acquire(this.state, 12, Overdraft.ofPermits(2), 0);
		limit.refund(this.state, 5, 0);
		assertThat(limit.remaining(this.state, 0)).isEqualTo(1);
	}

	@Test
	void refundBorrowsAPermitForTheFraction() {
		TokenBucket limit = new TokenBucket(RATE, 10);
		limit.acquire(this.state, 1, 0);
		limit.acquire(this.state, 5, 2);
		Receipt receipt = this.state.receipt();
		limit.acquire(this.state, 3, 2);
		limit.refund(this.state, 3, this.state.receipt(), 2);
		// Of 5 permits, 0.9 were earned since; 4.5 permits are missing.
		limit.refund(this.state, 5, receipt, 5);
		assertThat(limit.peek(this.state, 0, 5)).as("4 tenths of a permit are missing")
			.isEqualTo(new Decision(true, 9, 0, 2, 2));
	}

	@Test
	void receiptCountsUntilTheBucketIsReset() {
		TokenBucket limit = new TokenBucket(RATE, 10);
		limit.acquire(this.state, 5, 0);
		Receipt first = this.state.receipt();
		assertThat(this.state.counts(first)).isTrue();
		this.state.reset(0);
		assertThat(this.state.counts(first)).isFalse();
		limit.acquire(this.state, 2, 0);
		Receipt second = this.state.receipt();
		limit.acquire(this.state, 1, 0);
		assertThat(this.state.counts(first)).isFalse();
		assertThat(this.state.counts(second)).isTrue();
		assertThat(this.state.counts(new Receipt(1, second.charged()))).as("of a later time").isFalse();
		assertThat(this.state.counts(new Receipt(0, second.charged() + 2))).as("of a later charge").isFalse();
	}

	private static FixedWindow window(Rate rate) {
		return new FixedWindow(rate, rate.permits(), Duration.ZERO);
	}

}
