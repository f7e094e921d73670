package io.tierlimit.store.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the {@link BucketStoreContract} for refunds.
 */
abstract class BucketStoreRefundContract extends BucketStoreSettlementContract {

	private static final TokenBucket FIVE = new TokenBucket(Rate.parse("1/s"), 5);

	private static final ChargeOptions RESERVING = new ChargeOptions(false, null, true, Overdraft.ofPermits(10), null,
			true);

	static Stream<Limit> limits() {
		return Stream.of(FIVE, new LeakyBucket(Rate.parse("1/s")),
				new FixedWindow(Rate.parse("5/5s"), 10, Duration.ZERO), new SlidingWindow(Rate.parse("5/5s")),
				new SlidingLog(Rate.parse("5/5s")));
	}

	/**
	 * Slow requests are in progress until the bucket has refilled, and end one by one.
	 */
	@ParameterizedTest
	@MethodSource("limits")
	void lateRefundsAllowNoAdditionalGuesses(Limit limit) {
		List<Charge> slow = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			slow.addAll(acquire(new Charge(USER, limit, 1)).charges());
			advanceClock(2 * SECOND);
		}
		advanceClock(20 * SECOND);
		int guesses = 0;
		for (Charge charge : slow) {
			while (acquire(new Charge(USER, limit, 1)).admitted()) {
				guesses++;
			}
			advanceClock(SECOND / 20);
			this.store.refund(List.of(charge), new StoreFailureFlag());
		}
		assertThat(guesses).as("in 2 seconds").isLessThanOrEqualTo((int) mostIn(limit, 2 * SECOND));
	}

	@Test
	void refundExcludesPermitsEarnedSince() {
		AcquireResult login = acquire(new Charge(USER, FIVE, 1));
		advanceClock(SECOND / 10);
		acquire(new Charge(USER, FIVE, 4));
		advanceClock(SECOND / 10);
		this.store.refund(login.charges(), new StoreFailureFlag());
		// 4.8 are missing, of which 0.8 are refunded.
		assertThat(this.store.peek(List.of(new Charge(USER, FIVE, 2))).decisions().get(0))
			.isEqualTo(new Decision(false, 1, SECOND, SECOND, 4 * SECOND));
	}

	@Test
	void refundIsCompleteIfTheBucketWasNotFull() {
		acquire(new Charge(USER, FIVE, 2));
		AcquireResult login = acquire(new Charge(USER, FIVE, 1));
		advanceClock(SECOND / 5);
		this.store.refund(login.charges(), new StoreFailureFlag());
		assertThat(this.store.peek(List.of(new Charge(USER, FIVE, 5))).decisions().get(0).retryAfterTicks())
			.isEqualTo(2 * SECOND - SECOND / 5);
	}

	@Test
	void refundsOfOtherChargesDoNotIncreaseARefund() {
		AcquireResult fast = acquire(new Charge(USER, FIVE, 3));
		AcquireResult slow = acquire(new Charge(USER, FIVE, 2));
		this.store.refund(fast.charges(), new StoreFailureFlag());
		advanceClock(2 * SECOND - 1);
		acquire(new Charge(USER, FIVE, 4));
		this.store.refund(slow.charges(), new StoreFailureFlag());
		assertThat(remaining(USER, FIVE)).as("as if only the last request had been made").isEqualTo(1);
	}

	@Test
	void requestsThatEndInAnotherOrderAreRefundedCompletely() {
		Limit daily = new TokenBucket(Rate.parse("5/d"));
		List<AcquireResult> answers = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			answers.add(acquire(new Charge(USER, daily, 1)));
		}
		for (int i : new int[] { 1, 2, 0 }) {
			this.store.refund(answers.get(i).charges(), new StoreFailureFlag());
		}
		assertThat(remaining(USER, daily)).isEqualTo(5);
	}

	/** More requests are in progress than the bucket earns permits for. */
	@Test
	void refundedRequestsBelowTheBurstAreNotRejected() {
		Limit limit = new TokenBucket(Rate.parse("10/s"), 20);
		Random random = new Random(1);
		List<AcquireResult> underWay = new ArrayList<>();
		for (int i = 0; i < 2000; i++) {
			advanceClock(SECOND / 50);
			if (underWay.size() == 10) {
				this.store.refund(underWay.remove(random.nextInt(3)).charges(), new StoreFailureFlag());
			}
			AcquireResult result = acquire(new Charge(USER, limit, 1));
			assertThat(result.admitted()).as("request %s", i).isTrue();
			underWay.add(result);
		}
	}

	@Test
	void chargeBeforeAResetRefundsNothing() {
		AcquireResult before = acquire(new Charge(USER, FOUR, 2));
		this.store.reset(USER, new StoreFailureFlag());
		acquire(new Charge(USER, FOUR, 4));
		this.store.refund(before.charges(), new StoreFailureFlag());
		assertThat(remaining(USER, FOUR)).isZero();
	}

	@Test
	void chargeUnderAnotherLimitRefundsNothing() {
		acquire(new Charge(USER, TEN, 6));
		AcquireResult before = acquire(new Charge(USER, TEN, 4));
		acquire(new Charge(USER, FOUR, 0));
		this.store.refund(before.charges(), new StoreFailureFlag());
		assertThat(remaining(USER, FOUR)).isZero();
	}

	/**
	 * The bucket has refilled faster than at the rate of the refunded charge, so the
	 * refund must not be calculated from the rate of the charge.
	 */
	@Test
	void chargeBeforeAChangeOfTheRateRefundsNothing() {
		TokenBucket slow = new TokenBucket(Rate.parse("1/h"), 10);
		TokenBucket fast = new TokenBucket(Rate.parse("100/h"), 10);
		AcquireResult before = acquire(new Charge(USER, slow, 5));
		advanceClock(120 * SECOND);
		acquire(new Charge(USER, fast, 1));
		this.store.refund(before.charges(), new StoreFailureFlag());
		assertThat(remaining(USER, fast)).as("5 minus 3.3 and 1").isEqualTo(7);
	}

	@Test
	void chargeBeforeAChangeOfThePermitsRefundsNothing() {
		FixedWindow slow = new FixedWindow(Rate.parse("5/10s"), 20, Duration.ZERO);
		FixedWindow fast = new FixedWindow(Rate.parse("10/10s"), 20, Duration.ZERO);
		AcquireResult before = acquire(new Charge(USER, slow, 12));
		advanceClock(10 * SECOND);
		acquire(new Charge(USER, fast, 1));
		this.store.refund(before.charges(), new StoreFailureFlag());
		assertThat(remaining(USER, fast)).as("12 minus 10 and 1").isEqualTo(17);
	}

	@Test
	void changedRateKeepsReservations() {
		TokenBucket slow = new TokenBucket(Rate.parse("1/h"), 10);
		TokenBucket fast = new TokenBucket(Rate.parse("60/h"), 10);
		AcquireResult reserved = acquire(new Charge(USER, slow, 15, RESERVING));
		acquire(new Charge(USER, fast, 1, RESERVING));
		this.store.refund(reserved.charges(), new StoreFailureFlag());
		assertThat(this.store.peek(List.of(new Charge(USER, fast, 1))).decisions().get(0).retryAfterTicks())
			.as("until 6 reserved permits are earned, and 1")
			.isEqualTo(7 * 60 * SECOND);
	}

	@ParameterizedTest
	@MethodSource("limits")
	void keptChargesAreWithinTheLimitInEveryWindow(Limit limit) {
		for (int seed = 0; seed < 5; seed++) {
			Random random = new Random(seed);
			BucketKey key = new BucketKey("per-user", "user " + seed);
			List<long[]> charged = new ArrayList<>();
			List<AcquireResult> answers = new ArrayList<>();
			long now = 0;
			for (int i = 0; i < 300; i++) {
				long elapse = (random.nextInt(3) > 0) ? 0 : random.nextLong(2 * SECOND);
				advanceClock(elapse);
				now += elapse;
				if (!answers.isEmpty() && random.nextInt(3) == 0) {
					int ended = random.nextInt(answers.size());
					charged.remove(ended);
					this.store.refund(answers.remove(ended).charges(), new StoreFailureFlag());
					continue;
				}
				long cost = 1 + random.nextLong(limit.capacity());
				AcquireResult result = acquire(new Charge(key, limit, cost));
				if (result.admitted()) {
					charged.add(new long[] { now, cost });
					answers.add(result);
				}
			}
			assertWithin(limit, charged);
		}
	}

	private static void assertWithin(Limit limit, List<long[]> charged) {
		for (int first = 0; first < charged.size(); first++) {
			long sum = 0;
			for (int last = first; last < charged.size(); last++) {
				sum += charged.get(last)[1];
				assertThat((double) sum)
					.isLessThanOrEqualTo(mostIn(limit, charged.get(last)[0] - charged.get(first)[0]));
			}
		}
	}

	/**
	 * The maximum permits in a window of {@code ticks}, including its first and last
	 * tick.
	 */
	private static double mostIn(Limit limit, long ticks) {
		double seconds = (double) ticks / SECOND;
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> limit.capacity() + seconds;
			case FIXED_WINDOW -> limit.capacity() + 5 * Math.ceil(seconds / 5);
			case SLIDING_LOG -> 5 * (Math.floor(seconds / 5) + 1);
			case SLIDING_WINDOW -> 10 * (Math.floor(seconds / 5) + 1);
			case CONCURRENCY -> throw new IllegalArgumentException("not bounded by a window");
		};
	}

}
