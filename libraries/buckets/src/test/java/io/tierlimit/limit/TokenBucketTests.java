package io.tierlimit.limit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TokenBucketTests {

	private static final long NOW = 1_700_000_000_000_000L;

	private static final long MILLIS = 1_000;

	private static final long SECOND = 1_000_000;

	private final BucketState state = new BucketState(NOW);

	@Test
	void newBucketIsFull() {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"), 4);
		assertThat(limit.acquire(this.state, 1, NOW)).isEqualTo(new Decision(true, 3, 0, SECOND, SECOND));
	}

	@Test
	void burstDefaultsToThePermitsOfThePeriod() {
		assertThat(new TokenBucket(Rate.parse("1000/15m")).capacity()).isEqualTo(1000);
	}

	@Test
	void waitCountsThePartOfAPermitAlreadyEarned() {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"), 4);
		limit.acquire(this.state, 4, NOW);
		long later = NOW + 200 * MILLIS;
		assertThat(limit.peek(this.state, 1, later))
			.isEqualTo(new Decision(false, 0, 800 * MILLIS, 800 * MILLIS, 3_800 * MILLIS));
		assertThat(limit.peek(this.state, 3, later))
			.isEqualTo(new Decision(false, 0, 2_800 * MILLIS, 800 * MILLIS, 3_800 * MILLIS));
	}

	@Test
	void tenthPermitIsEarnedExactlyAtTheHundredthTick() {
		TokenBucket limit = new TokenBucket(per100Ticks(10));
		limit.acquire(this.state, 10, NOW);
		assertThat(limit.remaining(this.state, NOW + 97)).isEqualTo(9);
		assertThat(limit.remaining(this.state, NOW + 99)).isEqualTo(9);
		assertThat(limit.allows(this.state, 10, NOW + 99)).isFalse();
		assertThat(limit.remaining(this.state, NOW + 100)).isEqualTo(10);
		assertThat(limit.allows(this.state, 10, NOW + 100)).isTrue();
	}

	@Test
	void rejectsACostAboveTheRemainingPermits() {
		TokenBucket limit = new TokenBucket(per100Ticks(100));
		limit.acquire(this.state, 30, NOW);
		assertThat(limit.acquire(this.state, 80, NOW)).isEqualTo(new Decision(false, 70, 10, 1, 30));
		assertThat(limit.acquire(this.state, 80, NOW + 10)).isEqualTo(new Decision(true, 0, 0, 1, 100));
	}

	@Test
	void roundsAWaitUpSoThatARetryIsAllowed() {
		TokenBucket limit = new TokenBucket(Rate.parse("3/s"));
		limit.acquire(this.state, 3, NOW);
		assertThat(limit.acquire(this.state, 1, NOW)).isEqualTo(new Decision(false, 0, 333_334, 333_334, SECOND));
		assertThat(limit.allows(this.state, 1, NOW + 333_333)).isFalse();
		assertThat(limit.allows(this.state, 1, NOW + 333_334)).isTrue();
	}

	@Test
	void costAboveTheCapacityIsNeverAllowed() {
		TokenBucket limit = new TokenBucket(Rate.parse("10/s"), 50);
		Decision decision = limit.acquire(this.state, 51, NOW);
		assertThat(decision).isEqualTo(new Decision(false, 50, Decision.NEVER, 0, 0));
		assertThat(decision.neverAllowed()).isTrue();
		assertThat(decision.retryAfter()).isNull();
		assertThat(limit.acquire(this.state, Long.MAX_VALUE, NOW).neverAllowed()).isTrue();
		assertThat(limit.acquire(this.state, 50, NOW).allowed()).isTrue();
	}

	@Test
	void allowsTheBurstAtOnceAndThenTheRate() {
		TokenBucket limit = new TokenBucket(Rate.parse("10/s"), 50);
		int[] admitted = new int[10];
		int rejectedAt = -1;
		for (int request = 0; request < 60 * admitted.length; request++) {
			boolean allowed = limit.acquire(this.state, 1, NOW + request * SECOND / 60).allowed();
			admitted[request / 60] += allowed ? 1 : 0;
			rejectedAt = (rejectedAt < 0 && !allowed) ? request : rejectedAt;
		}
		// 50 saved; while they are consumed at 60/s, six requests earn one more permit.
		assertThat(rejectedAt).isEqualTo(59);
		assertThat(admitted).containsExactly(59, 10, 10, 10, 10, 10, 10, 10, 10, 10);
	}

	@Test
	void costOfZeroIsAllowedAndConsumesNothing() {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"));
		limit.acquire(this.state, 1, NOW);
		assertThat(limit.acquire(this.state, 0, NOW)).isEqualTo(new Decision(true, 0, 0, SECOND, SECOND));
		assertThat(limit.allows(this.state, 1, NOW + SECOND)).isTrue();
	}

	@Test
	void inspectShowsWhetherTheBucketWouldHaveAllowed() {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"), 4);
		limit.acquire(this.state, 1, NOW);
		assertThat(limit.inspect(this.state, 3, Overdraft.NONE, NOW))
			.isEqualTo(new Decision(true, 3, 0, SECOND, SECOND));
		assertThat(limit.inspect(this.state, 4, Overdraft.NONE, NOW))
			.isEqualTo(new Decision(false, 3, SECOND, SECOND, SECOND));
	}

	@Test
	void resetBucketIsFull() {
		TokenBucket limit = new TokenBucket(Rate.parse("1/s"), 4);
		limit.acquire(this.state, 3, NOW);
		assertThat(limit.isFull(this.state, NOW)).isFalse();
		this.state.reset(NOW);
		assertThat(limit.isFull(this.state, NOW)).isTrue();
		assertThat(limit.peek(this.state, 4, NOW)).isEqualTo(new Decision(true, 0, 0, SECOND, 4 * SECOND));
	}

	@Test
	void timeToFullIsRoundedUp() {
		assertThat(new TokenBucket(Rate.parse("3/s"), 1).timeToFull()).isEqualTo(333_334);
		assertThat(new TokenBucket(Rate.parse("50000/s"), 1).timeToFull()).isEqualTo(20);
		assertThat(new TokenBucket(new Rate(Rate.MAX_PERMITS, Rate.MAX_PERIOD)).timeToFull())
			.isEqualTo(315_360_000_000_000L);
	}

	@Test
	void decisionReturnsItsTicksAsDurations() {
		Decision decision = new Decision(false, 0, 1, 2, 3);
		assertThat(decision.retryAfter()).isEqualTo(Duration.ofNanos(1_000));
		assertThat(decision.nextPermitAfter()).isEqualTo(Duration.ofNanos(2_000));
		assertThat(decision.resetAfter()).isEqualTo(Duration.ofNanos(3_000));
	}

	@Test
	void rejectsABurstOutsideOfTheAcceptedNumbers() {
		Rate rate = new Rate(Rate.MAX_PERMITS, Duration.ofSeconds(1));
		assertThatIllegalArgumentException().isThrownBy(() -> new TokenBucket(rate, 0))
			.withMessage("burst must be 1 to 1000000000000 permits (was 0)");
		assertThatIllegalArgumentException().isThrownBy(() -> new TokenBucket(rate, -1))
			.withMessage("burst must be 1 to 1000000000000 permits (was -1)");
		assertThatIllegalArgumentException().isThrownBy(() -> new TokenBucket(rate, Rate.MAX_PERMITS + 1))
			.withMessage("burst must be 1 to 1000000000000 permits (was 1000000000001)");
		assertThat(new TokenBucket(rate, Rate.MAX_PERMITS).capacity()).isEqualTo(Rate.MAX_PERMITS);
	}

	@Test
	void rejectsABurstThatTakesMoreThanTenYearsToRefill() {
		assertThat(new TokenBucket(Rate.parse("1/365d"), 10).timeToFull()).isEqualTo(315_360_000_000_000L);
		assertThatIllegalArgumentException().isThrownBy(() -> new TokenBucket(Rate.parse("1/365d"), 11))
			.withMessage("burst must refill within 3650 days at 1/365d (was 11)");
		assertThatIllegalArgumentException().isThrownBy(() -> new TokenBucket(Rate.parse("1/3650d"), Rate.MAX_PERMITS))
			.withMessageStartingWith("burst must refill within 3650 days at ")
			.withMessageEndingWith("(was 1000000000000)");
	}

	private static Rate per100Ticks(long permits) {
		return new Rate(permits, Duration.of(100, ChronoUnit.MICROS));
	}

}
