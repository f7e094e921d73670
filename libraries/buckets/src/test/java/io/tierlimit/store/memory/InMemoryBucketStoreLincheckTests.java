package io.tierlimit.store.memory;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Function;

import io.tierlimit.junit.Rounds;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SequentialBucketStore;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.Ticker;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Explores interleavings of a few operations, and searches for a sequential order in
 * which a {@link SequentialBucketStore} returns the same results.
 * <p>
 * The time at which an operation reads the clock is a parameter of the operation. The
 * exploration therefore includes an operation that is overtaken between reading the clock
 * and locking.
 */
@Tag("slow")
class InMemoryBucketStoreLincheckTests {

	@Test
	void operationsOnTwoBucketsInBothOrdersAreLinearizable() {
		options(Rounds.of(4, 10)).sequentialSpecification(TwoBucketsInTurn.class).check(TwoBuckets.class);
	}

	@Test
	void removalOfFullBucketsIsInvisible() {
		options(Rounds.of(2, 5)).sequentialSpecification(RemovedBucketsInTurn.class).check(RemovedBuckets.class);
	}

	/** Few and small scenarios, each of which is explored in many interleavings. */
	static ModelCheckingOptions options(int scenarios) {
		// The operations of these classes are atomic, so only calls to them are
		// interleaved.
		String[] atomic = { "java.util.concurrent.ConcurrentHashMap", "java.util.concurrent.ConcurrentLinkedQueue",
				"java.util.concurrent.atomic.LongAdder" };
		return new ModelCheckingOptions()
			.addGuarantee(ManagedStrategyGuaranteeKt.forClasses(atomic).allMethods().treatAsAtomic())
			.iterations(scenarios)
			.invocationsPerIteration(100)
			.threads(2)
			.actorsPerThread(2)
			.actorsBefore(0)
			.actorsAfter(1);
	}

	/** All buckets exist already, so that no bucket is created or removed. */
	@Param(name = "cost", gen = IntGen.class, conf = "0:4")
	@Param(name = "now", gen = IntGen.class, conf = "0:20")
	abstract static class Buckets {

		static final BucketKey FIRST = new BucketKey("per-user", "ada");

		static final BucketKey SECOND = new BucketKey("per-ip", "203.0.113.7");

		static final TokenBucket LIMIT = new TokenBucket(new Rate(3, Duration.of(10, ChronoUnit.MICROS)));

		private final ThreadLocal<Long> moment = ThreadLocal.withInitial(() -> 0L);

		private final BucketStore store;

		Buckets(Function<Ticker, BucketStore> kind) {
			this.store = kind.apply(this.moment::get);
			this.store.acquire(List.of(new Charge(FIRST, LIMIT, 2), new Charge(SECOND, LIMIT, 1)),
					new StoreFailureFlag());
		}

		final BucketStore at(int now) {
			this.moment.set((long) now);
			return this.store;
		}

	}

	public static class TwoBuckets extends Buckets {

		public TwoBuckets() {
			this((ticker) -> new InMemoryBucketStore(ticker, 10));
		}

		TwoBuckets(Function<Ticker, BucketStore> kind) {
			super(kind);
		}

		@Operation
		public AcquireResult acquireBoth(@Param(name = "cost") int cost, @Param(name = "now") int now) {
			return at(now).acquire(List.of(new Charge(FIRST, LIMIT, 1), new Charge(SECOND, LIMIT, cost)),
					new StoreFailureFlag());
		}

		@Operation
		public AcquireResult acquireBothTheOtherWayRound(@Param(name = "cost") int cost, @Param(name = "now") int now) {
			return at(now).acquire(List.of(new Charge(SECOND, LIMIT, 1), new Charge(FIRST, LIMIT, cost)),
					new StoreFailureFlag());
		}

		@Operation
		public AcquireResult acquireFirst(@Param(name = "cost") int cost, @Param(name = "now") int now) {
			return at(now).acquire(List.of(new Charge(FIRST, LIMIT, cost)), new StoreFailureFlag());
		}

		@Operation
		public List<Decision> peekFirst(@Param(name = "cost") int cost, @Param(name = "now") int now) {
			return at(now).peek(List.of(new Charge(FIRST, LIMIT, cost))).decisions();
		}

		@Operation
		public List<Overrun> settleFirst(@Param(name = "cost") int actual, @Param(name = "now") int now) {
			return at(now).settle(List.of(new Settlement(new Charge(FIRST, LIMIT, 1), actual, 1)),
					new StoreFailureFlag());
		}

		@Operation
		public void refundFirst(@Param(name = "cost") int cost, @Param(name = "now") int now) {
			at(now).refund(List.of(new Charge(FIRST, LIMIT, cost)), new StoreFailureFlag());
		}

		@Operation
		public void refundSecond(@Param(name = "cost") int cost, @Param(name = "now") int now) {
			at(now).refund(List.of(new Charge(SECOND, LIMIT, cost)), new StoreFailureFlag());
		}

		@Operation
		public void resetFirst(@Param(name = "now") int now) {
			at(now).reset(FIRST, new StoreFailureFlag());
		}

	}

	public static class TwoBucketsInTurn extends TwoBuckets {

		public TwoBucketsInTurn() {
			super(SequentialBucketStore::new);
		}

	}

	/** The clock stands still; every new key removes full buckets. */
	@Param(name = "key", gen = IntGen.class, conf = "0:2")
	@Param(name = "cost", gen = IntGen.class, conf = "0:1")
	public static class RemovedBuckets {

		private static final TokenBucket ONE = new TokenBucket(Rate.parse("1/s"), 1);

		private final BucketStore store;

		public RemovedBuckets() {
			this(new InMemoryBucketStore(() -> 0, 10));
		}

		RemovedBuckets(BucketStore store) {
			this.store = store;
		}

		@Operation
		public AcquireResult acquire(@Param(name = "key") int key, @Param(name = "cost") int cost) {
			return withoutReceipts(this.store.acquire(List.of(charge(key, cost)), new StoreFailureFlag()));
		}

		@Operation
		public AcquireResult acquireTwo(@Param(name = "key") int key, @Param(name = "key") int other) {
			return withoutReceipts(
					this.store.acquire(List.of(charge(key, 1), charge(other, 0)), new StoreFailureFlag()));
		}

		@Operation
		public void refund(@Param(name = "key") int key) {
			this.store.refund(List.of(charge(key, 1)), new StoreFailureFlag());
		}

		@Operation
		public List<Overrun> consume(@Param(name = "key") int key) {
			return this.store.settle(List.of(new Settlement(charge(key, 0), 1, 0)), new StoreFailureFlag());
		}

		@Operation
		public void reset(@Param(name = "key") int key) {
			this.store.reset(charge(key, 0).key(), new StoreFailureFlag());
		}

		/** A bucket that was removed restarts the count of its charges. */
		private static AcquireResult withoutReceipts(AcquireResult result) {
			return new AcquireResult(result.admitted(), result.decisions(), List.of());
		}

		private static Charge charge(int key, int cost) {
			return new Charge(new BucketKey("per-user", "key " + key), ONE, cost);
		}

	}

	public static class RemovedBucketsInTurn extends RemovedBuckets {

		public RemovedBucketsInTurn() {
			super(new SequentialBucketStore(() -> 0));
		}

	}

}
