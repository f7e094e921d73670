package io.tierlimit.store.memory;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class OverflowBucketsTests extends InMemoryTraffic {

	private final InMemoryBucketStore store = store(2);

	@Test
	void chargesWithRoomAreNotCounted() {
		acquire(charge("a", TEN, 1), charge("b", TEN, 1));
		acquire(charge("evicts a", TEN, 1));
		assertThat(this.store.overflows()).isZero();
	}

	@Test
	void everyChargeWithoutRoomIsCounted() {
		fill();
		acquire(charge("c", ONE, 1));
		acquire(charge("c", ONE, 1));
		assertThat(this.store.overflows()).isEqualTo(2);
		acquire(charge("d", TEN, 1), charge("a", TEN, 1), charge("e", TEN, 1));
		assertThat(this.store.overflows()).isEqualTo(4);
	}

	@Test
	void chargeOnASharedBucketIsRefundedToIt() {
		fill();
		AcquireResult taken = acquire(charge("c", TEN, 4), charge("d", TEN, 3));
		assertThat(taken.decisions()).allMatch((decision) -> decision.remaining() == 3);
		refund(this.store, taken);
		assertThat(acquire(charge("e", TEN, 0)).decisions().get(0).remaining()).isEqualTo(10);
	}

	@Test
	void chargeOnASharedBucketIsNotRefundedToTheKeysOwnBucket() {
		fill();
		AcquireResult taken = acquire(charge("c", TEN, 4));
		this.store.reset(charge("a", ONE, 0).key(), new StoreFailureFlag());
		acquire(charge("c", TEN, 6));
		refund(this.store, taken);
		assertThat(this.store.peek(List.of(charge("c", TEN, 0))).decisions().get(0).remaining()).isEqualTo(4);
	}

	@Test
	void allBucketsOfARuleContainItsSharedOnes() {
		BucketKey other = new BucketKey("per-ip", "a");
		acquire(charge("a", ONE, 1), new Charge(other, ONE, 1));
		acquire(charge("c", ONE, 1), new Charge(new BucketKey("per-ip", "c"), TEN, 10));
		this.store.resetAll("per-user");
		acquire(charge("a", ONE, 1));
		assertThat(acquire(charge("d", ONE, 1)).admitted()).isTrue();
		assertThat(acquire(new Charge(new BucketKey("per-ip", "d"), TEN, 1)).admitted()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "(overflow)", "(overflow) " })
	void callersCannotChooseTheKeyOfASharedBucket(String prefix) {
		fill();
		acquire(charge("c", ONE, 1));
		this.store.reset(charge(prefix + ONE, ONE, 0).key(), new StoreFailureFlag());
		assertThat(acquire(charge("c", ONE, 1)).admitted()).isFalse();
	}

	@Test
	void plansWithTheSameBurstGetTogetherNoMoreThanTheFasterOne() {
		TokenBucket daily = new TokenBucket(Rate.parse("1/d"), 1);
		acquire(charge("a", daily, 1), charge("b", daily, 1));
		TokenBucket fast = new TokenBucket(Rate.parse("5/s"), 10);
		int allowed = 0;
		for (int second = 0; second <= 10; second++) {
			for (int i = 0; i < 40; i++) {
				TokenBucket plan = ((second + i) % 2 == 0) ? TEN : fast;
				allowed += acquire(charge("c" + i, plan, 1)).admitted() ? 1 : 0;
			}
			this.ticker.advance(Duration.ofSeconds(1));
		}
		assertThat(allowed).isBetween(10 + 10, 10 + 10 * 5);
	}

	/** Occupies all places with buckets that are being enforced. */
	private void fill() {
		acquire(charge("a", ONE, 1), charge("b", ONE, 1));
	}

	private AcquireResult acquire(Charge... charges) {
		return this.store.acquire(List.of(charges), new StoreFailureFlag());
	}

}
