package io.tierlimit.store.test;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingWindow;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the {@link BucketStoreContract} for actual costs that replace estimates.
 */
abstract class BucketStoreSettlementContract extends BucketStoreReservationContract {

	private static final BucketKey EXACT = new BucketKey("exact", "ada", "ada");

	static Stream<Limit> settledLimits() {
		return Stream.of(new TokenBucket(Rate.parse("10/s"), 10),
				new FixedWindow(Rate.parse("10/s"), 20, Duration.ZERO));
	}

	private List<Overrun> settle(AcquireResult result, long actual, long maxDebt) {
		return this.store.settle(
				result.charges().stream().map((charge) -> new Settlement(charge, actual, maxDebt)).toList(),
				new StoreFailureFlag());
	}

	private @Nullable Decision level(BucketKey key, Limit limit) {
		return this.store.peek(List.of(new Charge(key, limit, limit.capacity()))).decisions().get(0);
	}

	/** The bucket contains what it would contain if the estimate had been exact. */
	@ParameterizedTest
	@MethodSource("settledLimits")
	void lowerCostReturnsTheDifference(Limit limit) {
		for (long actual = 0; actual <= 8; actual++) {
			acquire(new Charge(USER, limit, 2), new Charge(EXACT, limit, 2));
			advanceClock(SECOND / 33);
			AcquireResult estimated = acquire(new Charge(USER, limit, 8));
			acquire(new Charge(EXACT, limit, actual));
			advanceClock(SECOND / 27);
			assertThat(settle(estimated, actual, 0)).containsExactly(Overrun.NONE);
			assertThat(level(USER, limit)).as("actual cost %s", actual).isEqualTo(level(EXACT, limit));
			advanceClock(10 * SECOND);
		}
	}

	@ParameterizedTest
	@MethodSource("settledLimits")
	void higherCostConsumesTheDifference(Limit limit) {
		AcquireResult estimated = acquire(new Charge(USER, limit, 2));
		acquire(new Charge(EXACT, limit, 2));
		advanceClock(SECOND / 50);
		assertThat(settle(estimated, 5, 0)).containsExactly(Overrun.NONE);
		acquire(new Charge(EXACT, limit, 3));
		assertThat(level(USER, limit)).isEqualTo(level(EXACT, limit));
	}

	@Test
	void higherCostMayLeadToDebtThatIsPaidFirst() {
		AcquireResult estimated = acquire(new Charge(USER, FOUR, 2));
		assertThat(settle(estimated, 7, 4)).containsExactly(Overrun.NONE);
		assertThat(acquire(new Charge(USER, FOUR, 1)).decisions())
			.containsExactly(new Decision(false, 0, 4 * SECOND, 4 * SECOND, 7 * SECOND));
		advanceClock(4 * SECOND);
		assertThat(acquire(new Charge(USER, FOUR, 1)).admitted()).isTrue();
	}

	@Test
	void permitsBeyondTheMaximumDebtAreDropped() {
		AcquireResult estimated = acquire(new Charge(USER, FOUR, 2));
		assertThat(settle(estimated, 9, 3)).containsExactly(new Overrun(2, true));
		assertThat(settle(estimated, 3, 3)).containsExactly(new Overrun(1, true));
		assertThat(settle(acquire(new Charge(IP, FOUR, 2)), 7, 3)).as("exactly").containsExactly(new Overrun(0, true));
		assertThat(acquire(new Charge(USER, FOUR, 1)).decisions())
			.containsExactly(new Decision(false, 0, 4 * SECOND, 4 * SECOND, 7 * SECOND));
	}

	@Test
	void withoutDebtTheBucketIsOnlyEmptied() {
		AcquireResult estimated = acquire(new Charge(USER, FOUR, 2));
		assertThat(settle(estimated, 9, 0)).containsExactly(new Overrun(5, true));
		assertThat(acquire(new Charge(USER, FOUR, 1)).decisions())
			.containsExactly(new Decision(false, 0, SECOND, SECOND, 4 * SECOND));
	}

	@Test
	void reservationsAndSettlementsShareOneLevel() {
		acquire(reserving(USER, FOUR, 6, 9));
		AcquireResult free = acquire(new Charge(USER, FOUR, 0));
		assertThat(settle(free, 4, 3)).containsExactly(new Overrun(3, true));
		assertThat(settle(free, 4, 1)).as("the reservation owes more").containsExactly(new Overrun(4, true));
		assertThat(acquire(reserving(USER, FOUR, 1, 9)).decisions()).extracting(Decision::delayTicks)
			.containsExactly(4 * SECOND);
	}

	/** Only permits that reservations rely on are not returned. */
	@Test
	void bucketInDebtGetsBackWhatWasNotUsed() {
		Limit slow = new TokenBucket(Rate.parse("1/s"), 10);
		for (boolean reserved : new boolean[] { false, true }) {
			AcquireResult unused = acquire(new Charge(GLOBAL, slow, 4));
			AcquireResult expensive = acquire(new Charge(GLOBAL, slow, 4));
			settle(expensive, 19, 20);
			this.store.settle(List.of(new Settlement(unused.charges().get(0), 1, 20, reserved)),
					new StoreFailureFlag());
			assertThat(acquire(new Charge(GLOBAL, slow, 1)).decisions()).extracting(Decision::resetTicks)
				.containsExactly((reserved ? 23 : 20) * SECOND);
			this.store.reset(GLOBAL, new StoreFailureFlag());
		}
	}

	@Test
	void bucketThatWasFullGetsNothingBackAndStillPays() {
		AcquireResult estimated = acquire(new Charge(USER, FOUR, 3), new Charge(IP, FOUR, 1));
		advanceClock(100 * SECOND);
		acquire(new Charge(USER, FOUR, 2));
		assertThat(settle(estimated, 2, 4)).containsExactly(Overrun.NONE, Overrun.NONE);
		assertThat(remaining(USER, FOUR)).isEqualTo(2);
		assertThat(remaining(IP, FOUR)).isEqualTo(3);
	}

	@Test
	void chargeUnderAnotherRateGetsNothingBackAndStillPays() {
		TokenBucket slower = new TokenBucket(Rate.parse("1/2s"), 4);
		AcquireResult estimated = acquire(new Charge(USER, FOUR, 2), new Charge(IP, FOUR, 1));
		acquire(new Charge(USER, slower, 1), new Charge(IP, slower, 1));
		assertThat(settle(estimated, 1, 4)).containsExactly(Overrun.NONE, Overrun.NONE);
		assertThat(remaining(USER, slower)).isEqualTo(1);
		assertThat(settle(acquire(new Charge(IP, FOUR, 1)), 2, 4)).containsExactly(Overrun.NONE);
		assertThat(remaining(IP, slower)).isZero();
	}

	/** The rule was changed while the request was in progress. */
	@Test
	void chargeUnderASmallerBurstConsumesOnlyTheDifference() {
		TokenBucket large = new TokenBucket(FOUR.rate(), 1000);
		AcquireResult estimated = acquire(new Charge(USER, FOUR, 1));
		acquire(new Charge(USER, large, 900));
		assertThat(settle(estimated, 2, 2000)).containsExactly(Overrun.NONE);
		assertThat(remaining(USER, large)).isEqualTo(98);
		assertThat(settle(estimated, 2, 2)).as("the bound of the charge").containsExactly(new Overrun(1, true));
		assertThat(remaining(USER, large)).isEqualTo(98);
	}

	@Test
	void chargeUnderAnotherRateKeepsTheReceiptsOfOtherCharges() {
		TokenBucket hundred = new TokenBucket(Rate.parse("100/h"));
		TokenBucket reduced = new TokenBucket(Rate.parse("90/h"), 100);
		AcquireResult before = acquire(new Charge(USER, hundred, 10));
		AcquireResult after = acquire(new Charge(USER, reduced, 50));
		settle(before, 11, 100);
		acquire(new Charge(USER, reduced, 1));
		this.store.refund(after.charges(), new StoreFailureFlag());
		assertThat(remaining(USER, reduced)).isEqualTo(88);
	}

	@Test
	void chargeUnderAnotherAlgorithmConsumesNothing() {
		SlidingWindow sliding = new SlidingWindow(Rate.parse("10/h"));
		AcquireResult estimated = acquire(new Charge(USER, FOUR, 1));
		acquire(new Charge(USER, sliding, 7));
		assertThat(settle(estimated, 3, 4)).containsExactly(new Overrun(2, false));
		assertThat(remaining(USER, sliding)).isEqualTo(3);
	}

	@Test
	void settlementsOfOneCallAreIndependent() {
		AcquireResult first = acquire(new Charge(USER, FOUR, 2), new Charge(GLOBAL, TEN, 5));
		AcquireResult second = acquire(new Charge(USER, FOUR, 1));
		assertThat(this.store.settle(
				List.of(new Settlement(first.charges().get(0), 6, 3), new Settlement(first.charges().get(1), 1, 3),
						new Settlement(second.charges().get(0), 2, 3), Settlement.refund(new Charge(IP, FOUR, 1))),
				new StoreFailureFlag()))
			.containsExactly(new Overrun(0, true), Overrun.NONE, new Overrun(1, true), Overrun.NONE);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(9);
		assertThat(this.store.settle(List.of(), new StoreFailureFlag())).isEmpty();
	}

	@Test
	void estimateOfZeroIsSettled() {
		Limit leaky = new LeakyBucket(Rate.parse("1/s"));
		assertThat(settle(acquire(new Charge(IP, leaky, 0)), 3, 2)).containsExactly(new Overrun(0, true));
		assertThat(acquire(new Charge(IP, leaky, 1)).decisions()).extracting(Decision::retryAfterTicks)
			.containsExactly(3 * SECOND);
	}

}
