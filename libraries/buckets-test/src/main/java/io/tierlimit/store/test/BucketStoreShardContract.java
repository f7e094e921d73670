package io.tierlimit.store.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.shard.ShardedBuckets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the {@link BucketStoreContract} for buckets that are spread over shards.
 */
abstract class BucketStoreShardContract extends BucketStoreBanContract {

	/** Enough requests to find every shard that still has permits. */
	private static final int ENOUGH = 500;

	private static final BucketKey SPREAD = GLOBAL.spread(4);

	private static final FixedWindow WINDOW = new FixedWindow(Rate.parse("10/s"), 10, null);

	private static final TokenBucket HUNDRED = new TokenBucket(Rate.parse("100/s"), 100);

	private BucketStore sharded;

	@BeforeEach
	void spreadBuckets() {
		this.sharded = sharded(this.store, 1);
	}

	private BucketStore sharded(BucketStore of, long seed) {
		return new ShardedBuckets(of, this::now, new Random(seed)::nextInt);
	}

	@Test
	void shardsAllowExactlyTheLimitTogether() {
		assertThat(admitted(SPREAD, TEN)).isEqualTo(10);
		advanceClock(SECOND / 2);
		// Each shard has earned 1.25 permits.
		assertThat(admitted(SPREAD, TEN)).isEqualTo(4);
		advanceClock(10 * SECOND);
		assertThat(admitted(SPREAD, TEN)).isEqualTo(10);
	}

	@Test
	void windowsOfShardsStartTogether() {
		setClock(WINDOW.phase(GLOBAL.windowSeed()) + 3000 * SECOND);
		assertThat(admitted(SPREAD, WINDOW)).isEqualTo(10);
		advanceClock(SECOND - 1);
		assertThat(admitted(SPREAD, WINDOW)).isZero();
		advanceClock(1);
		assertThat(admitted(SPREAD, WINDOW)).isEqualTo(10);
	}

	@Test
	void decisionContainsTheSumOfAllShards() {
		for (int i = 9; i >= 0; i--) {
			assertThat(admit(new Charge(SPREAD, TEN, 1)).remaining()).isEqualTo(i);
		}
		assertThat(left(SPREAD, TEN)).isZero();
		AcquireResult rejected = acquireFromShards(new Charge(SPREAD, TEN, 1));
		assertThat(rejected.admitted()).isFalse();
		// A shard earns 10 permits in 4 seconds.
		assertThat(rejected.decisions())
			.containsExactly(new Decision(false, 0, 4 * SECOND / 10, 4 * SECOND / 10, 3 * 4 * SECOND / 10));
	}

	@Test
	void shardsAreChargedTogetherWithOtherBuckets() {
		acquireFromShards(new Charge(USER, FOUR, 4));
		AcquireResult rejected = acquireFromShards(new Charge(SPREAD, TEN, 1), new Charge(USER, FOUR, 1));
		assertThat(rejected.admitted()).isFalse();
		assertThat(rejected.decisions()).extracting(Decision::allowed).containsExactly(true, false);
		assertThat(left(SPREAD, TEN)).isEqualTo(10);
		assertThat(admitted(SPREAD, TEN)).isEqualTo(10);
		assertThat(acquireFromShards(new Charge(SPREAD, TEN, 1), new Charge(IP, FOUR, 1)).admitted()).isFalse();
		assertThat(remaining(IP, FOUR)).isEqualTo(4);
	}

	@Test
	void shadowChargeOnShardsDoesNotRejectTheRequest() {
		admitted(SPREAD, TEN);
		AcquireResult result = acquireFromShards(new Charge(SPREAD, TEN, 1, ChargeOptions.SHADOW),
				new Charge(USER, FOUR, 1));
		assertThat(result.admitted()).isTrue();
		assertThat(result.decisions()).extracting(Decision::allowed).containsExactly(false, true);
		assertThat(remaining(USER, FOUR)).isEqualTo(3);
	}

	@Test
	void refundReturnsPermitsToTheirShards() {
		List<AcquireResult> results = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			results.add(acquireFromShards(new Charge(SPREAD, TEN, 1), new Charge(USER, TEN, 1)));
		}
		assertThat(results).allMatch(AcquireResult::admitted);
		assertThat(results.get(0).charge(0)).extracting(Charge::key, Charge::limit, Charge::cost)
			.containsExactly(SPREAD, TEN, 1L);
		for (AcquireResult result : results) {
			this.sharded.refund(result.charges(), new StoreFailureFlag());
		}
		assertThat(left(SPREAD, TEN)).isEqualTo(10);
		assertThat(remaining(USER, TEN)).isEqualTo(10);
		assertThat(admitted(SPREAD, TEN)).isEqualTo(10);
	}

	@Test
	void refundWithoutReceiptAddsPermitsToAllShards() {
		admitted(SPREAD, TEN);
		this.sharded.refund(List.of(new Charge(SPREAD, TEN, 6)), new StoreFailureFlag());
		assertThat(admitted(SPREAD, TEN)).isEqualTo(6);
	}

	@Test
	void costAboveTheBurstOfAShardIsChargedToAllShards() {
		assertThat(admit(new Charge(SPREAD, TEN, 2)).remaining()).isEqualTo(8);
		AcquireResult eight = acquireFromShards(new Charge(SPREAD, TEN, 8));
		assertThat(eight.admitted()).isTrue();
		assertThat(eight.decisions()).extracting(Decision::remaining).containsExactly(0L);
		assertThat(admitted(SPREAD, TEN)).isZero();
		this.sharded.refund(eight.charges(), new StoreFailureFlag());
		assertThat(left(SPREAD, TEN)).isEqualTo(8);
		assertThat(acquireFromShards(new Charge(SPREAD, TEN, 9)).admitted()).isFalse();
		assertThat(left(SPREAD, TEN)).isEqualTo(8);
		assertThat(acquireFromShards(new Charge(SPREAD, TEN, 11)).decisions())
			.allMatch((decision) -> !decision.allowed());
	}

	@Test
	void lowerCostReturnsPermitsToTheirShards() {
		List<Charge> estimates = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			estimates.add(acquireFromShards(new Charge(SPREAD, HUNDRED, 10)).charge(0));
		}
		assertThat(settle(estimates, 4, 0)).hasSize(4).containsOnly(Overrun.NONE);
		assertThat(left(SPREAD, HUNDRED)).isEqualTo(100 - 4 * 4);
		assertThat(admitted(SPREAD, HUNDRED)).isEqualTo(100 - 4 * 4);
	}

	@Test
	void higherCostConsumesFromAllShards() {
		List<Charge> estimates = acquireFromShards(new Charge(SPREAD, HUNDRED, 10), new Charge(USER, TEN, 1)).charges();
		assertThat(settle(estimates, 24, 0)).containsExactly(Overrun.NONE, new Overrun(14, true));
		assertThat(left(SPREAD, HUNDRED)).isEqualTo(76);
		assertThat(admitted(SPREAD, HUNDRED)).isEqualTo(76);
	}

	/** Each of four shards may owe ten permits. */
	@Test
	void debtIsDividedByTheNumberOfShards() {
		List<Charge> estimates = acquireFromShards(new Charge(SPREAD, HUNDRED, 10)).charges();
		assertThat(settle(estimates, 10 + 4 * 30, 40)).as("by the shard of the charge")
			.containsExactly(new Overrun(5, false));
		assertThat(settle(estimates, 10 + 4 * 6, 40)).containsExactly(new Overrun(6 + 3, true));
		advanceClock(10 * SECOND / 25);
		assertThat(admitted(SPREAD, HUNDRED)).isZero();
		advanceClock(SECOND / 25);
		assertThat(admitted(SPREAD, HUNDRED)).isEqualTo(4);
	}

	@ParameterizedTest
	@CsvSource({ "0, 100, 0, false", "30, 70, 0, false", "80, 20, 0, false", "85, 15, 0, false", "100, 0, 0, false",
			"140, 0, 0, true", "143, 0, 3, true" })
	void costAboveTheBurstOfAShardIsSettledByAllShards(long actual, int left, long dropped, boolean reached) {
		List<Charge> estimates = acquireFromShards(new Charge(SPREAD, HUNDRED, 80)).charges();
		assertThat(settle(estimates, actual, 40)).containsExactly(new Overrun(dropped, reached));
		assertThat(admitted(SPREAD, HUNDRED)).isEqualTo(left);
	}

	private List<Overrun> settle(List<Charge> charges, long actual, long maxDebt) {
		return this.sharded.settle(charges.stream().map((charge) -> new Settlement(charge, actual, maxDebt)).toList(),
				new StoreFailureFlag());
	}

	@Test
	void peekDecidesByAllShardsAndConsumesNothing() {
		acquireFromShards(new Charge(SPREAD, TEN, 8));
		assertThat(peek(SPREAD, TEN, 0).remaining()).isEqualTo(2);
		assertThat(peek(SPREAD, TEN, 1)).extracting(Decision::allowed, Decision::remaining).containsExactly(true, 1L);
		assertThat(peek(SPREAD, TEN, 3).allowed()).isFalse();
		assertThat(left(SPREAD, TEN)).isEqualTo(2);
		assertThat(admitted(SPREAD, TEN)).isEqualTo(2);
	}

	@Test
	void resetAndRefillFillAllShards() {
		admitted(SPREAD, TEN);
		assertThat(this.sharded.reset(SPREAD, new StoreFailureFlag())).isTrue();
		assertThat(admitted(SPREAD, TEN)).isEqualTo(10);
		assertThat(this.sharded.refill(SPREAD, new StoreFailureFlag())).isTrue();
		assertThat(admitted(SPREAD, TEN)).isEqualTo(10);
		assertThat(this.sharded.resetAll("global")).isTrue();
		assertThat(admitted(SPREAD, TEN)).isEqualTo(10);
	}

	@Test
	void anotherInstanceUsesTheSameShards() {
		BucketStore other = sharded(this.store, 2);
		admitted(SPREAD, TEN);
		assertThat(other.acquire(List.of(new Charge(SPREAD, TEN, 1)), new StoreFailureFlag()).admitted()).isFalse();
		assertThat(other.reset(SPREAD, new StoreFailureFlag())).isTrue();
		assertThat(left(SPREAD, TEN)).isEqualTo(10);
	}

	@Test
	void anotherNumberOfShardsBeginsWithFullBuckets() {
		admitted(SPREAD, TEN);
		assertThat(left(GLOBAL.spread(3), TEN)).isEqualTo(10);
		assertThat(admitted(GLOBAL.spread(3), TEN)).isEqualTo(10);
		assertThat(admitted(SPREAD, TEN)).isZero();
		assertThat(left(GLOBAL, TEN)).isEqualTo(10);
	}

	@Test
	void limitWithFewerPermitsThanShardsUsesFewerShards() {
		TokenBucket small = new TokenBucket(Rate.parse("2/s"), 2);
		assertThat(admitted(SPREAD, small)).isEqualTo(2);
		advanceClock(SECOND);
		assertThat(admitted(SPREAD, small)).isEqualTo(2);
	}

	/**
	 * The same random choices lead to the same decisions as in a store in memory.
	 */
	@RepeatedTest(20)
	void decidesLikeTheStoreInMemory(RepetitionInfo info) {
		long seed = info.getCurrentRepetition();
		Random random = new Random(seed);
		BucketStore memory = sharded(new InMemoryBucketStore(this::now, 10_000), seed);
		BucketStore tested = sharded(this.store, seed);
		BucketKey key = new BucketKey("global", "seed " + seed).spread(1 + random.nextInt(16));
		Limit limit = random.nextBoolean() ? new FixedWindow(Rate.parse("50/s"), 50 + random.nextInt(50), null)
				: new TokenBucket(Rate.parse("50/s"), 20 + random.nextInt(50));
		List<AcquireResult> acquired = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			advanceClock(random.nextInt(100_000));
			List<Charge> charges = List.of(new Charge(key, limit, (random.nextInt(5) == 0) ? random.nextInt(60) : 1),
					new Charge(new BucketKey("per-user", "user " + random.nextInt(3)), FOUR, 1));
			if (random.nextInt(5) == 0 && !acquired.isEmpty()) {
				List<Charge> refunded = acquired.remove(acquired.size() - 1).charges();
				memory.refund(refunded, new StoreFailureFlag());
				tested.refund(refunded, new StoreFailureFlag());
			}
			AcquireResult result = tested.acquire(charges, new StoreFailureFlag());
			assertThat(result).isEqualTo(memory.acquire(charges, new StoreFailureFlag()));
			if (result.admitted()) {
				acquired.add(result);
			}
			assertThat(tested.peek(charges)).isEqualTo(memory.peek(charges));
		}
		assertThat(acquired).isNotEmpty();
	}

	private AcquireResult acquireFromShards(Charge... charges) {
		return this.sharded.acquire(List.of(charges), new StoreFailureFlag());
	}

	private Decision admit(Charge charge) {
		AcquireResult result = acquireFromShards(charge);
		assertThat(result.admitted()).isTrue();
		return result.decisions().get(0);
	}

	private Decision peek(BucketKey key, Limit limit, long cost) {
		return this.sharded.peek(List.of(new Charge(key, limit, cost))).decisions().get(0);
	}

	private long left(BucketKey key, Limit limit) {
		return peek(key, limit, 0).remaining();
	}

	/** The permits that many requests get, one each. */
	private int admitted(BucketKey key, Limit limit) {
		int admitted = 0;
		for (int i = 0; i < ENOUGH; i++) {
			admitted += acquireFromShards(new Charge(key, limit, 1)).admitted() ? 1 : 0;
		}
		return admitted;
	}

}
