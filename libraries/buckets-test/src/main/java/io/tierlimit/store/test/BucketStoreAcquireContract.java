package io.tierlimit.store.test;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.Receipt;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.Ticker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the {@link BucketStoreContract} for {@code acquire}.
 */
abstract class BucketStoreAcquireContract {

	static final long START = 1_700_000_000_000_000L;

	static final long SECOND = 1_000_000;

	static final TokenBucket FOUR = new TokenBucket(Rate.parse("1/s"), 4);

	static final TokenBucket TEN = new TokenBucket(Rate.parse("10/s"), 10);

	static final BucketKey GLOBAL = new BucketKey("global", "");

	static final BucketKey IP = new BucketKey("per-ip", "203.0.113.7");

	static final BucketKey USER = new BucketKey("per-user", "ada");

	private final AtomicLong clock = new AtomicLong(START);

	BucketStore store;

	/**
	 * Creates a store in which every bucket is full. This method is called once before
	 * each test, and may be called again.
	 * @param ticker the clock of the store: the test advances it, and sometimes sets it
	 * back
	 * @return a store that shares no bucket with stores of earlier calls
	 */
	protected abstract BucketStore createStore(Ticker ticker);

	@BeforeEach
	void createStoreAtStart() {
		this.store = createStore();
	}

	final BucketStore createStore() {
		return createStore(this.clock::get);
	}

	final long now() {
		return this.clock.get();
	}

	final void setClock(long moment) {
		this.clock.set(moment);
	}

	final void advanceClock(long ticks) {
		this.clock.addAndGet(ticks);
	}

	@Test
	void missingBucketIsFull() {
		Charge charge = new Charge(USER, FOUR, 1);
		assertThat(acquire(charge)).isEqualTo(new AcquireResult(true, List.of(new Decision(true, 3, 0, SECOND, SECOND)),
				List.of(charge.acquired(new Receipt(START, 1)))));
	}

	@Test
	void requestWithoutChargesIsAdmitted() {
		assertThat(acquire()).isEqualTo(new AcquireResult(true, List.of(), List.of()));
	}

	@Test
	void everyBucketOfAnAdmittedRequestIsCharged() {
		AcquireResult result = acquire(new Charge(GLOBAL, TEN, 3), new Charge(IP, FOUR, 2), new Charge(USER, FOUR, 4));
		assertThat(result.admitted()).isTrue();
		assertThat(result.decisions()).extracting(Decision::remaining).containsExactly(7L, 2L, 0L);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(7);
		assertThat(remaining(IP, FOUR)).isEqualTo(2);
		assertThat(remaining(USER, FOUR)).isZero();
	}

	@Test
	void rejectedRequestConsumesNothing() {
		acquire(new Charge(IP, FOUR, 3));
		AcquireResult result = acquire(new Charge(GLOBAL, TEN, 2), new Charge(IP, FOUR, 2), new Charge(USER, FOUR, 1));
		assertThat(result.admitted()).isFalse();
		assertThat(result.decisions()).containsExactly(new Decision(true, 10, 0, 0, 0),
				new Decision(false, 1, SECOND, SECOND, 3 * SECOND), new Decision(true, 4, 0, 0, 0));
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(10);
		assertThat(remaining(IP, FOUR)).isEqualTo(1);
		assertThat(remaining(USER, FOUR)).isEqualTo(4);
	}

	@Test
	void rejectedRequestIsAllowedAfterItsLongestWait() {
		acquire(new Charge(GLOBAL, TEN, 10), new Charge(USER, FOUR, 4));
		Charge[] charges = { new Charge(GLOBAL, TEN, 10), new Charge(USER, FOUR, 3) };
		assertThat(acquire(charges).decisions()).extracting(Decision::retryAfterTicks)
			.containsExactly(SECOND, 3 * SECOND);
		advanceClock(3 * SECOND - 1);
		assertThat(acquire(charges).admitted()).isFalse();
		advanceClock(1);
		assertThat(acquire(charges).admitted()).isTrue();
	}

	@Test
	void rejectionDoesNotChangeTheState() {
		setClock(START + 10 * SECOND);
		acquire(new Charge(USER, FOUR, 1), new Charge(IP, FOUR, 5));
		setClock(START);
		acquire(new Charge(USER, FOUR, 4));
		setClock(START + SECOND);
		assertThat(remaining(USER, FOUR)).isEqualTo(1);
	}

	@Test
	void decisionsAreInTheOrderOfTheCharges() {
		Charge global = new Charge(GLOBAL, TEN, 0);
		Charge ip = new Charge(IP, FOUR, 0);
		Charge user = new Charge(USER, new TokenBucket(TEN.rate(), 7), 0);
		for (List<Charge> charges : List.of(List.of(global, ip, user), List.of(global, user, ip),
				List.of(ip, global, user), List.of(ip, user, global), List.of(user, global, ip),
				List.of(user, ip, global))) {
			Long[] capacities = charges.stream().map((charge) -> charge.limit().capacity()).toArray(Long[]::new);
			assertThat(this.store.acquire(charges, new StoreFailureFlag()).decisions()).extracting(Decision::remaining)
				.containsExactly(capacities);
			assertThat(this.store.peek(charges).decisions()).extracting(Decision::remaining)
				.containsExactly(capacities);
		}
	}

	@Test
	void costOfZeroIsAllowedByAnEmptyBucketAndConsumesNothing() {
		acquire(new Charge(USER, FOUR, 4));
		AcquireResult result = acquire(new Charge(USER, FOUR, 0), new Charge(GLOBAL, TEN, 0));
		assertThat(result.admitted()).isTrue();
		assertThat(result.decisions()).containsExactly(new Decision(true, 0, 0, SECOND, 4 * SECOND),
				new Decision(true, 10, 0, 0, 0));
	}

	@Test
	void costAboveTheCapacityIsNeverAllowed() {
		AcquireResult result = acquire(new Charge(GLOBAL, TEN, 1), new Charge(USER, FOUR, 5));
		assertThat(result.admitted()).isFalse();
		assertThat(result.decisions()).extracting(Decision::neverAllowed).containsExactly(false, true);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(10);
	}

	@Test
	void chargesOnTheSameBucketAddUp() {
		AcquireResult result = acquire(new Charge(USER, FOUR, 1), new Charge(GLOBAL, TEN, 1),
				new Charge(USER, FOUR, 2));
		assertThat(result.admitted()).isTrue();
		assertThat(result.decisions()).extracting(Decision::remaining).containsExactly(1L, 9L, 1L);
		assertThat(remaining(USER, FOUR)).isEqualTo(1);
	}

	@Test
	void chargesOnTheSameBucketAreRejectedTogether() {
		acquire(new Charge(USER, FOUR, 1));
		AcquireResult result = acquire(new Charge(USER, FOUR, 2), new Charge(GLOBAL, TEN, 1),
				new Charge(USER, FOUR, 2));
		Decision rejected = new Decision(false, 3, SECOND, SECOND, SECOND);
		assertThat(result.admitted()).isFalse();
		assertThat(result.decisions()).containsExactly(rejected, new Decision(true, 10, 0, 0, 0), rejected);
		assertThat(remaining(USER, FOUR)).isEqualTo(3);
	}

	@Test
	void sumOfChargesAboveTheCapacityIsNeverAllowed() {
		assertThat(acquire(new Charge(USER, FOUR, 3), new Charge(USER, FOUR, 2)).decisions())
			.allMatch(Decision::neverAllowed);
		assertThat(acquire(new Charge(USER, FOUR, Long.MAX_VALUE), new Charge(USER, FOUR, Long.MAX_VALUE)).decisions())
			.allMatch(Decision::neverAllowed);
	}

	@Test
	void chargesOnTheSameBucketUseTheLimitOfTheFirst() {
		assertThat(acquire(new Charge(USER, TEN, 3), new Charge(USER, FOUR, 3)).decisions())
			.extracting(Decision::remaining)
			.containsExactly(4L, 4L);
	}

	@Test
	void shadowChargeIsAcquiredIfTheRequestIsAdmitted() {
		assertThat(acquire(shadow(USER, FOUR, 3), new Charge(GLOBAL, TEN, 1)).admitted()).isTrue();
		assertThat(remaining(USER, FOUR)).isEqualTo(1);
	}

	@Test
	void shadowChargeDoesNotRejectTheRequest() {
		acquire(new Charge(USER, FOUR, 3));
		AcquireResult result = acquire(shadow(USER, FOUR, 2), new Charge(GLOBAL, TEN, 1), shadow(IP, FOUR, 5));
		assertThat(result.admitted()).isTrue();
		assertThat(result.decisions()).containsExactly(new Decision(false, 1, SECOND, SECOND, 3 * SECOND),
				new Decision(true, 9, 0, 100_000, 100_000), new Decision(false, 4, Decision.NEVER, 0, 0));
		assertThat(remaining(USER, FOUR)).isEqualTo(1);
		assertThat(remaining(GLOBAL, TEN)).isEqualTo(9);
	}

	@Test
	void shadowChargeIsNotAcquiredIfTheRequestIsRejected() {
		AcquireResult result = acquire(shadow(USER, FOUR, 1), new Charge(GLOBAL, TEN, 11));
		assertThat(result.admitted()).isFalse();
		assertThat(result.decisions().get(0)).isEqualTo(new Decision(true, 4, 0, 0, 0));
		assertThat(remaining(USER, FOUR)).isEqualTo(4);
	}

	final AcquireResult acquire(Charge... charges) {
		return this.store.acquire(List.of(charges), new StoreFailureFlag());
	}

	final long remaining(BucketKey key, Limit limit) {
		return this.store.peek(List.of(new Charge(key, limit, 0))).decisions().get(0).remaining();
	}

	private static Charge shadow(BucketKey key, TokenBucket limit, long cost) {
		return new Charge(key, limit, cost, ChargeOptions.SHADOW);
	}

}
