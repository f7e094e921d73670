package io.tierlimit.store.shard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link ShardedBuckets}, with chosen instead of random shards.
 */
class ShardedBucketsTests {

	private static final TokenBucket LIMIT = new TokenBucket(Rate.parse("8/s"), 8);

	private static final BucketKey KEY = new BucketKey("all", "").spread(4);

	private static final Charge CHARGE = new Charge(KEY, LIMIT, 1);

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final InMemoryBucketStore memory = new InMemoryBucketStore(this.ticker, 100);

	private final Queue<Integer> random = new ArrayDeque<>();

	/** The charges of the last call of the store. */
	private List<Charge> asked = List.of();

	/** Answers the next calls instead of the store. */
	private @Nullable Function<List<Charge>, AcquireResult> outage;

	private final ShardedBuckets buckets = new ShardedBuckets(new DelegatingBucketStore(this.memory) {

		@Override
		public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
			ShardedBucketsTests.this.asked = charges;
			Function<List<Charge>, AcquireResult> unreachable = ShardedBucketsTests.this.outage;
			return (unreachable != null) ? unreachable.apply(charges) : super.acquire(charges, failureFlag);
		}

	}, this.ticker, (bound) -> this.random.remove() % bound);

	@Test
	void shardWithMorePermitsIsChosen() {
		// The first number is the first shard, the second the distance to the other.
		assertThat(shardOf(0, 0)).isZero();
		assertThat(shardOf(0, 0)).isEqualTo(1);
		assertThat(shardOf(0, 2)).isEqualTo(3);
		assertThat(shardOf(1, 0)).isEqualTo(2);
		assertThat(shardOf(2, 0)).isEqualTo(2);
		assertThat(shardOf(2, 0)).isEqualTo(3);
		assertThat(shardOf(2, 0)).isEqualTo(2);
	}

	@Test
	void levelsGrowWithTime() {
		drain(0);
		this.ticker.advance(250_000);
		drain(1);
		// The first shard has earned half a permit.
		assertThat(shardOf(0, 0)).isZero();
		this.ticker.advance(250_000);
		assertThat(shardOf(1, 2)).isZero();
	}

	private void drain(int shard) {
		Charge part = new Charge(KEY.shard(shard), LimitDivision.of(LIMIT, 4, 0).shards().get(shard), 2);
		this.memory.acquire(List.of(part), new StoreFailureFlag());
		this.random.addAll(List.of(shard, 0));
		acquire(new Charge(KEY, LIMIT, 2));
	}

	@Test
	void rejectionHasTheShorterWaitOfBothShards() {
		List<Decision> decisions = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			shardOf(0, 0);
		}
		// Both shards are empty. The second one was emptied later.
		this.ticker.advance(100_000);
		this.random.addAll(List.of(0, 0));
		decisions.addAll(acquire(CHARGE).decisions());
		assertThat(decisions).singleElement()
			.satisfies((decision) -> assertThat(decision.retryAfterTicks()).isEqualTo(400_000));
		// Another instance has emptied a shard that seems to be full.
		this.memory.acquire(List.of(new Charge(KEY.shard(2), LimitDivision.of(LIMIT, 4, 0).shards().get(2), 2)),
				new StoreFailureFlag());
		this.random.addAll(List.of(2, 1));
		assertThat(acquire(CHARGE).decisions()).containsExactly(new Decision(false, 2, 400_000, 400_000, 1_000_000));
	}

	@Test
	void rejectedRequestAsksNoOtherShard() {
		for (int i = 0; i < 4; i++) {
			shardOf(0, 0);
		}
		assertThat(shardOf(0, 0)).isZero();
		assertThat(this.asked).hasSize(1);
	}

	@Test
	void peekedCostIsNotRemembered() {
		assertThat(this.buckets.peek(List.of(new Charge(KEY, LIMIT, 2))).decisions()).extracting(Decision::remaining)
			.containsExactly(6L);
		this.random.addAll(List.of(3, 0));
		assertThat(acquire(CHARGE).decisions()).extracting(Decision::remaining).containsExactly(7L);
	}

	@Test
	void resetsAreRemembered() {
		acquire(new Charge(KEY, LIMIT, 7));
		assertThat(this.buckets.reset(KEY, new StoreFailureFlag())).isTrue();
		this.random.addAll(List.of(3, 0));
		assertThat(acquire(CHARGE).decisions()).extracting(Decision::remaining).containsExactly(7L);
		acquire(new Charge(KEY, LIMIT, 7));
		assertThat(this.buckets.resetAll("all")).isTrue();
		this.random.addAll(List.of(3, 0));
		assertThat(acquire(CHARGE).decisions()).extracting(Decision::remaining).containsExactly(7L);
	}

	@Test
	void chargesOnOtherBucketsArePassedOn() {
		List<Charge> charges = List.of(new Charge(new BucketKey("other", ""), LIMIT, 1));
		AcquireResult result = this.buckets.acquire(charges, new StoreFailureFlag());
		assertThat(this.asked).isSameAs(charges);
		assertThat(result.charge(0).receipt()).isNotNull();
	}

	@Test
	void unreachableShardIsAvoidedForASecond() {
		this.outage = AcquireResult::undecided;
		assertThat(shardOf(0, 0)).isZero();
		this.outage = null;
		assertThat(shardOf(0, 0)).isEqualTo(1);
		this.ticker.advance(999_999);
		assertThat(shardOf(0, 0)).isEqualTo(1);
		this.ticker.advance(1);
		assertThat(shardOf(0, 0)).isZero();
	}

	@Test
	void exhaustedShardIsPreferredToAnUnreachableOne() {
		for (int i = 0; i < 4; i++) {
			shardOf(0, 0);
		}
		this.outage = AcquireResult::undecided;
		assertThat(shardOf(2, 0)).isEqualTo(2);
		assertThat(shardOf(3, 0)).isEqualTo(3);
		this.outage = null;
		assertThat(shardOf(2, 1)).isZero();
		// Both are unreachable: further draws.
		this.random.addAll(List.of(2, 0, 3, 2));
		assertThat(shardOf(1, 0)).isEqualTo(1);
		assertThat(this.random).isEmpty();
	}

	@Test
	void failedPeekOrFailureOfAllShardsAvoidsNone() {
		this.outage = AcquireResult::undecided;
		acquire(new Charge(KEY, LIMIT, 7));
		this.outage = null;
		this.random.addAll(List.of(0, 0));
		assertThat(acquire(CHARGE).decisions()).extracting(Decision::remaining).containsExactly(7L);
	}

	@Test
	void possibleCostIsNeverRejectedForever() {
		shardOf(3, 0);
		AcquireResult rejected = acquire(new Charge(KEY, LIMIT, 8));
		assertThat(rejected.admitted()).isFalse();
		// A shard earns 8 permits in 4 seconds.
		assertThat(rejected.decisions()).extracting(Decision::retryAfterTicks).containsExactly(500_000L);
	}

	@Test
	void rejectedShadowChargeOnAllShardsConsumesNothing() {
		drain(3);
		Charge shadow = new Charge(KEY, LIMIT, 6, ChargeOptions.SHADOW);
		this.memory.acquire(List.of(new Charge(KEY.shard(0), LimitDivision.of(LIMIT, 4, 0).shards().get(0), 2)),
				new StoreFailureFlag());
		AcquireResult result = acquire(shadow);
		assertThat(result.admitted()).isTrue();
		assertThat(result.decisions()).extracting(Decision::allowed).containsExactly(false);
		assertThat(this.buckets.peek(List.of(new Charge(KEY, LIMIT, 0))).decisions()).extracting(Decision::remaining)
			.containsExactly(4L);
	}

	@Test
	void addedPermitsGoToRandomShards() {
		acquire(new Charge(KEY, LIMIT, 8));
		this.random.addAll(List.of(0, 1, 2, 3));
		for (int i = 0; i < 4; i++) {
			this.buckets.refund(List.of(CHARGE), new StoreFailureFlag());
		}
		assertThat(this.buckets.peek(List.of(new Charge(KEY, LIMIT, 0))).decisions()).extracting(Decision::remaining)
			.containsExactly(4L);
	}

	@Test
	void peekOfARejectedCostShowsWhatIsLeft() {
		drain(3);
		assertThat(this.buckets.peek(List.of(new Charge(KEY, LIMIT, 7))).decisions())
			.containsExactly(new Decision(false, 6, 500_000, 500_000, 1_000_000));
	}

	@Test
	void levelOfAFastWindowDoesNotOverflow() {
		ShardLevel old = new ShardLevel(0, 0, Long.MAX_VALUE);
		FixedWindow fast = new FixedWindow(new Rate(Rate.MAX_PERMITS, 1), Rate.MAX_PERMITS, null);
		assertThat(old.permits(fast, 1L << 52)).isEqualTo(Rate.MAX_PERMITS);
	}

	@Test
	void chargeOnAllShardsIsDividedWhateverItsCost() {
		AcquireResult result = acquire(new AllShardsCharge(KEY, LIMIT, 2, ChargeOptions.ENFORCED));
		assertThat(result.admitted()).isTrue();
		assertThat(this.asked).hasSize(2).allMatch((charge) -> charge.cost() == 1);
	}

	@Test
	void resultWithoutDecisionsContainsTheChargesOfTheRequest() {
		List<Charge> charges = List.of(new Charge(new BucketKey("other", ""), LIMIT, 1), CHARGE);
		this.outage = (asked) -> AcquireResult.unreachable(asked, StoreFailurePolicy.DENY);
		this.random.addAll(List.of(0, 0));
		assertThat(this.buckets.acquire(charges, new StoreFailureFlag()))
			.isEqualTo(AcquireResult.unreachable(charges, StoreFailurePolicy.DENY));
		this.outage = AcquireResult::undecided;
		this.random.addAll(List.of(0, 0));
		AcquireResult undecided = this.buckets.acquire(charges, new StoreFailureFlag());
		assertThat(undecided.admitted()).isTrue();
		assertThat(undecided.source()).isEqualTo(Source.FALLBACK);
		assertThat(undecided.decisions()).containsExactly(null, null);
	}

	@Test
	void rejectionOfOnePartRejectsTheWholeCost() {
		Decision rejected = new Decision(false, 0, 500_000, 500_000, 1_000_000);
		this.outage = (asked) -> new AcquireResult(false, Arrays.asList(null, rejected, null, null), asked);
		AcquireResult result = acquire(new Charge(KEY, LIMIT, 8));
		assertThat(result.admitted()).isFalse();
		assertThat(result.decisions()).containsExactly(new Decision(false, 6, 500_000, 500_000, 1_000_000));
	}

	@Test
	void chargeWithoutShardsHasTheSameBucket() {
		this.random.addAll(List.of(0, 0));
		acquire(CHARGE);
		assertThat(ShardCharge.whole(this.asked.get(0))).isEqualTo(CHARGE);
		acquire(new Charge(KEY, LIMIT, 7));
		assertThat(this.asked).hasSize(4);
		assertThat(this.asked.stream().map(ShardCharge::whole))
			.allMatch((charge) -> charge.key().equals(KEY) && charge.limit().equals(LIMIT));
		assertThat(this.asked.stream().mapToLong(Charge::cost).sum()).isEqualTo(7);
		assertThat(ShardCharge.whole(CHARGE)).isSameAs(CHARGE);
	}

	@Test
	void costThatTheBucketNeverAllowsAsksOneShard() {
		this.random.addAll(List.of(0, 0, 0, 0));
		acquire(new Charge(KEY, LIMIT, 9));
		assertThat(this.asked).singleElement().extracting(Charge::cost).isEqualTo(9L);
		assertThat(acquire(new Charge(KEY, LIMIT, Long.MAX_VALUE)).decisions())
			.allMatch((decision) -> decision.neverAllowed() && decision.remaining() == 8);
		assertThat(this.buckets.peek(List.of(new Charge(KEY, LIMIT, 9))).decisions()).allMatch(Decision::neverAllowed);
	}

	@Test
	void keyHasALimitedNumberOfShards() {
		assertThat(KEY).isEqualTo(new BucketKey("all", "")).hasToString("all");
		assertThat(KEY.shards()).isEqualTo(4);
		assertThat(KEY.shardIndex()).isEqualTo(-1);
		assertThat(KEY.shard(3).shardIndex()).isEqualTo(3);
		assertThat(KEY.shard(3)).hasToString("all/(shard 4/4)").isNotEqualTo(KEY.shard(2));
		assertThat(KEY.spread(1).shards()).isEqualTo(1);
		assertThatIllegalArgumentException().isThrownBy(() -> KEY.spread(0));
		assertThatIllegalArgumentException().isThrownBy(() -> KEY.spread(65));
	}

	private AcquireResult acquire(Charge charge) {
		return this.buckets.acquire(List.of(charge), new StoreFailureFlag());
	}

	/** The index of the shard that decides a request. */
	private int shardOf(int first, int distance) {
		this.random.addAll(List.of(first, distance));
		acquire(CHARGE);
		return this.asked.get(0).key().shardIndex();
	}

}
