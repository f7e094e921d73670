package io.tierlimit.store.test;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the {@link BucketStoreContract} for reserved permits, and for refunds after
 * other charges.
 */
abstract class BucketStoreReservationContract extends BucketStoreAcquireContract {

	private static final Limit LEAKY = new LeakyBucket(Rate.parse("1/s"));

	private static final Limit WINDOW = new FixedWindow(Rate.parse("10/m"), 10, Duration.ZERO);

	@Test
	void laterRequestsWaitBehindAReservation() {
		acquire(new Charge(USER, FOUR, 1));
		AcquireResult result = acquire(reserving(USER, FOUR, 5, 2));
		assertThat(result.admitted()).isTrue();
		assertThat(result.decisions()).containsExactly(new Decision(true, 0, 0, 3 * SECOND, 6 * SECOND, 2 * SECOND));
		assertThat(acquire(new Charge(USER, FOUR, 1)).decisions())
			.containsExactly(new Decision(false, 0, 3 * SECOND, 3 * SECOND, 6 * SECOND));
		assertThat(acquire(reserving(USER, FOUR, 1, 2)).decisions())
			.containsExactly(new Decision(false, 0, SECOND, 3 * SECOND, 6 * SECOND));
		advanceClock(3 * SECOND);
		assertThat(acquire(new Charge(USER, FOUR, 1)).admitted()).isTrue();
	}

	@Test
	void nothingIsReservedIfAnotherBucketRejects() {
		acquire(new Charge(IP, LEAKY, 1), new Charge(GLOBAL, TEN, 10));
		AcquireResult rejected = acquire(reserving(IP, LEAKY, 3, 5), new Charge(GLOBAL, TEN, 1),
				reserving(USER, WINDOW, 12, 5));
		assertThat(rejected.admitted()).isFalse();
		assertThat(rejected.decisions()).extracting((decision) -> decision != null && decision.allowed())
			.containsExactly(true, false, true);
		assertThat(acquire(reserving(IP, LEAKY, 1, 5)).decisions()).extracting(Decision::delayTicks)
			.containsExactly(SECOND);
		assertThat(remaining(USER, WINDOW)).isEqualTo(10);
	}

	@Test
	void chargesOnTheSameBucketReserveTogether() {
		AcquireResult result = acquire(reserving(IP, LEAKY, 1, 5), reserving(IP, LEAKY, 2, 5));
		assertThat(result.decisions()).extracting(Decision::delayTicks).containsExactly(2 * SECOND, 2 * SECOND);
		this.store.refund(result.charges(), new StoreFailureFlag());
		assertThat(remaining(IP, LEAKY)).isEqualTo(1);
	}

	@Test
	void cancelRestoresTheState() {
		acquire(new Charge(USER, FOUR, 1));
		AcquireResult result = acquire(reserving(USER, FOUR, 5, 9), reserving(IP, LEAKY, 4, 9));
		advanceClock(SECOND);
		this.store.refund(result.charges(), new StoreFailureFlag());
		assertThat(remaining(USER, FOUR)).isEqualTo(4);
		assertThat(remaining(IP, LEAKY)).isEqualTo(1);
	}

	@Test
	void cancelKeepsPermitsOfLaterReservations() {
		AcquireResult first = acquire(reserving(IP, LEAKY, 4, 9));
		assertThat(acquire(reserving(IP, LEAKY, 1, 9)).decisions()).extracting(Decision::delayTicks)
			.containsExactly(4 * SECOND);
		this.store.refund(first.charges(), new StoreFailureFlag());
		assertThat(acquire(reserving(IP, LEAKY, 1, 9)).decisions()).extracting(Decision::delayTicks)
			.containsExactly(2 * SECOND);
	}

	@Test
	void shadowChargeReservesAlone() {
		Charge shadow = new Charge(IP, LEAKY, 3,
				new ChargeOptions(true, null, true, Overdraft.ofPermits(2), null, true));
		assertThat(acquire(shadow).decisions()).extracting(Decision::delayTicks).containsExactly(2 * SECOND);
		assertThat(acquire(shadow)).extracting(AcquireResult::admitted).isEqualTo(true);
		assertThat(acquire(new Charge(IP, LEAKY, 1)).decisions()).extracting(Decision::retryAfterTicks)
			.containsExactly(3 * SECOND);
	}

	@Test
	void waitIsBoundedByTheOverdraft() {
		ChargeOptions waiting = new ChargeOptions(false, null, true, Overdraft.ofTicks(2 * SECOND), null, true);
		Charge charge = new Charge(IP, LEAKY, 1, waiting);
		assertThat(acquire(charge).decisions()).extracting(Decision::delayTicks).containsExactly(0L);
		assertThat(acquire(charge).decisions()).extracting(Decision::delayTicks).containsExactly(SECOND);
		assertThat(acquire(charge).decisions()).extracting(Decision::delayTicks).containsExactly(2 * SECOND);
		assertThat(acquire(charge).decisions()).extracting(Decision::retryAfterTicks).containsExactly(SECOND);
	}

	@Test
	void logRefundsItsOwnEntry() {
		Limit log = new SlidingLog(Rate.parse("3/10s"));
		AcquireResult first = acquire(new Charge(USER, log, 1));
		advanceClock(4 * SECOND);
		acquire(new Charge(USER, log, 1));
		this.store.refund(first.charges(), new StoreFailureFlag());
		assertThat(this.store.peek(List.of(new Charge(USER, log, 3))).decisions()).extracting(Decision::retryAfterTicks)
			.containsExactly(10 * SECOND);
	}

	@Test
	void fullLogWaitsForItsFirstEntry() {
		Limit log = new SlidingLog(Rate.parse("1000/10s"));
		for (int i = 0; i < 1000; i++) {
			acquire(new Charge(USER, log, 1));
			advanceClock(1);
		}
		assertThat(acquire(new Charge(USER, log, 1)).decisions()).extracting(Decision::retryAfterTicks)
			.containsExactly(10 * SECOND - 1000);
		advanceClock(10 * SECOND - 1000);
		assertThat(acquire(new Charge(USER, log, 1)).admitted()).isTrue();
		assertThat(acquire(new Charge(USER, log, 1)).admitted()).isFalse();
	}

	static Charge reserving(BucketKey key, Limit limit, long cost, long maxReserved) {
		return new Charge(key, limit, cost,
				new ChargeOptions(false, null, true, Overdraft.ofPermits(maxReserved), null, true));
	}

}
