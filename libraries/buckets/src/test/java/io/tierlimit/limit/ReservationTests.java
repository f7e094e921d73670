package io.tierlimit.limit;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ReservationTests {

	private static final long SECOND = 1_000_000;

	private final BucketState state = new BucketState(Long.MIN_VALUE);

	@Test
	void tokenBucketReservesThePermitsBeyondItsLevel() {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"), 10);
		Overdraft overdraft = Overdraft.ofPermits(2);
		limit.acquire(this.state, 7, 0);
		Decision reserved = limit.acquire(this.state, 5, overdraft, 0);
		assertThat(reserved).isEqualTo(new Decision(true, 0, 0, 3 * SECOND, 12 * SECOND, 2 * SECOND));
		assertThat(this.state.debt()).isEqualTo(2);
		assertThat(limit.acquire(this.state, 1, overdraft, 0))
			.isEqualTo(new Decision(false, 0, SECOND, 3 * SECOND, 12 * SECOND));
		assertThat(limit.acquire(this.state, 1, 0).retryAfterTicks()).isEqualTo(3 * SECOND);
		assertThat(limit.acquire(this.state, 0, 0).delayTicks()).as("a cost of 0 does not wait").isZero();
	}

	@Test
	void fixedWindowReservesUntilItsPermitsAreIssued() {
		FixedWindow limit = new FixedWindow(Rate.parse("10/m"), 10, Duration.ZERO);
		Overdraft overdraft = Overdraft.ofPermits(25);
		limit.acquire(this.state, 8, 15 * SECOND);
		assertThat(limit.acquire(this.state, 4, overdraft, 15 * SECOND).delay()).isEqualTo(Duration.ofSeconds(45));
		assertThat(limit.acquire(this.state, 8, overdraft, 20 * SECOND).delay()).isEqualTo(Duration.ofSeconds(40));
		assertThat(limit.acquire(this.state, 1, overdraft, 20 * SECOND).delay()).isEqualTo(Duration.ofSeconds(100));
		assertThat(limit.remaining(this.state, 60 * SECOND)).isZero();
		assertThat(limit.remaining(this.state, 120 * SECOND)).isEqualTo(9);
	}

	@Test
	void leakyBucketQueuesRequestsOneAfterTheOther() {
		LeakyBucket limit = new LeakyBucket(Rate.parse("10/s"));
		Overdraft queue = Overdraft.ofTicks(SECOND / 4);
		assertThat(limit.acquire(this.state, 1, queue, 0).delayTicks()).isZero();
		assertThat(limit.acquire(this.state, 1, queue, 0).delayTicks()).isEqualTo(SECOND / 10);
		assertThat(limit.acquire(this.state, 1, queue, 0).delayTicks()).isEqualTo(SECOND / 5);
		assertThat(limit.acquire(this.state, 1, queue, 0)).extracting(Decision::allowed, Decision::retryAfterTicks)
			.containsExactly(false, SECOND / 20);
	}

	@Test
	void largeReservationIsNotOvertaken() {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"), 10);
		limit.acquire(this.state, 10, 0);
		Decision large = limit.acquire(this.state, 10, Overdraft.ofPermits(10), 0);
		for (long now = 0; now <= large.delayTicks(); now += SECOND / 10) {
			assertThat(limit.acquire(this.state, 1, now).allowed()).isFalse();
		}
		assertThat(limit.acquire(this.state, 1, large.delayTicks() + SECOND).allowed()).isTrue();
	}

	@Test
	void cancelRefundsNoPermitsOfALaterReservation() {
		LeakyBucket limit = new LeakyBucket(Rate.parse("1/s"));
		Overdraft overdraft = Overdraft.ofPermits(10);
		limit.acquire(this.state, 1, 0);
		limit.acquire(this.state, 1, overdraft, 0);
		Receipt first = this.state.receipt();
		assertThat(limit.acquire(this.state, 1, overdraft, 0).delayTicks()).isEqualTo(2 * SECOND);
		limit.refund(this.state, 1, first, 0);
		assertThat(limit.acquire(this.state, 1, overdraft, 0).delayTicks()).as("two never act at once")
			.isEqualTo(3 * SECOND);
	}

	@Test
	void slidingLimitsDoNotReserve() {
		for (Limit limit : new Limit[] { new SlidingWindow(Rate.parse("1/s")), new SlidingLog(Rate.parse("1/s")) }) {
			assertThat(limit.isReservable()).isFalse();
			this.state.reset(0);
			limit.acquire(this.state, 1, 0);
			assertThat(limit.acquire(this.state, 1, Overdraft.ofPermits(10), 0).allowed()).isFalse();
		}
		assertThat(new LeakyBucket(Rate.parse("1/s")).isReservable()).isTrue();
	}

	@Test
	void costAboveCapacityAndOverdraftIsNeverAllowed() {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"), 10);
		assertThat(limit.peek(this.state, 12, Overdraft.ofPermits(2), 0).delayTicks()).isEqualTo(2 * SECOND);
		assertThat(limit.peek(this.state, 13, Overdraft.ofPermits(2), 0).neverAllowed()).isTrue();
		assertThat(limit.peek(this.state, 13, Overdraft.ofTicks(2 * SECOND), 0).neverAllowed()).isTrue();
		assertThat(limit.peek(this.state, Long.MAX_VALUE, Overdraft.ofPermits(Rate.MAX_PERMITS), 0).neverAllowed())
			.isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "-1, 0", "1000000000001, 0", "1, -1", "1, 315360000000001" })
	void rejectsInvalidOverdrafts(long permits, long ticks) {
		assertThatIllegalArgumentException().isThrownBy(() -> new Overdraft(permits, ticks))
			.withMessageContaining("reserved");
	}

}
