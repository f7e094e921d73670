package io.tierlimit.limit;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.shard.LimitDivision;
import io.tierlimit.store.shard.ShardedBuckets;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The laws of a limit that is divided over shards. The law that a client is allowed
 * exactly after its wait does not apply: a retry may be decided by another shard.
 */
class ShardLawTests {

	private static final int REQUESTS = 400;

	private static final BucketKey BUCKET = new BucketKey("all", "");

	private final SimulatedTicker ticker = new SimulatedTicker();

	private final BucketStore store = new InMemoryBucketStore(this.ticker, 1000);

	@RandomizedTest(300)
	void shardsAddUpToTheLimit(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		LimitDivision divided = division(traffic);
		Limit whole = divided.limit();
		BigInteger rates = BigInteger.ZERO;
		BigInteger period = BigInteger.valueOf(whole.rate().periodTicks());
		BigInteger common = period.multiply(BigInteger.valueOf(divided.shards().size()));
		long burst = 0;
		for (Limit shard : divided.shards()) {
			rates = rates.add(BigInteger.valueOf(shard.rate().permits())
				.multiply(common)
				.divide(BigInteger.valueOf(shard.rate().periodTicks())));
			burst += shard.capacity();
			assertThat(shard.algorithm()).isEqualTo(whole.algorithm());
			assertThat(whole.capacity() / divided.shards().size()).isBetween(shard.capacity() - 1, shard.capacity());
		}
		assertThat(rates.multiply(period)).isEqualTo(BigInteger.valueOf(whole.rate().permits()).multiply(common));
		assertThat(burst).isEqualTo(whole.capacity());
	}

	/**
	 * Requests of two instances, of which some are refunded, some cost more than the
	 * burst of a shard, and some are rejected by another bucket.
	 */
	@RandomizedTest(300)
	void keptChargesAreWithinTheLimitInEveryWindow(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		LimitDivision divided = division(traffic);
		Limit limit = divided.limit();
		BucketKey key = BUCKET.spread(divided.shards().size());
		List<BucketStore> instances = List.of(sharded(seed), sharded(-seed));
		List<Acquired> kept = new ArrayList<>();
		List<AcquireResult> results = new ArrayList<>();
		int admitted = 0;
		for (int i = 0; i < REQUESTS; i++) {
			long now = traffic.oneIn(2) ? this.ticker.ticks() : traffic.laterMoment(limit, this.ticker.ticks());
			this.ticker.set(now);
			BucketStore instance = instances.get(i % 2);
			if (!results.isEmpty() && traffic.oneIn(4)) {
				int index = (int) traffic.magnitude(results.size()) - 1;
				kept.remove(index);
				instance.refund(results.remove(index).charges(), new StoreFailureFlag());
				continue;
			}
			long cost = Math.min(limit.capacity(), traffic.oneIn(2) ? 1 : traffic.magnitude(limit.capacity()));
			List<Charge> charges = traffic.oneIn(3)
					? List.of(new Charge(key, limit, cost), new Charge(new BucketKey("user", ""), limit, cost))
					: List.of(new Charge(key, limit, cost));
			AcquireResult result = instance.acquire(charges, new StoreFailureFlag());
			if (result.admitted()) {
				admitted++;
				results.add(result);
				kept.add(new Acquired(now, cost, new Receipt(now, 0)));
			}
		}
		assertThat(admitted).isPositive();
		kept.sort(Comparator.comparingLong(Acquired::at));
		if (limit instanceof FixedWindow window) {
			FixedWindowLawTests.assertWithinWindows(started(window, key), 0, kept);
		}
		else {
			EveryWindow windows = new EveryWindow(limit, BigInteger.ZERO);
			kept.forEach((charge) -> windows.admit(charge.cost(), charge.at()));
		}
	}

	/** The same window with the start that the key of the bucket determines. */
	private static FixedWindow started(FixedWindow window, BucketKey key) {
		return new FixedWindow(window.rate(), window.burst(),
				Duration.ofSeconds(0, 0).plusNanos(1000 * window.phase(key.windowSeed())));
	}

	/**
	 * The only instance always knows the levels of all shards. Because the times of
	 * decisions are rounded up to ticks, it may learn of a permit one tick later.
	 */
	@RandomizedTest(200)
	void decisionOfTheOnlyInstanceContainsTheSumOfAllShards(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		LimitDivision divided = division(traffic);
		Limit limit = divided.limit();
		BucketKey key = BUCKET.spread(divided.shards().size());
		BucketStore instance = sharded(seed);
		for (int i = 0; i < REQUESTS; i++) {
			this.ticker.set(traffic.laterMoment(limit, this.ticker.ticks()));
			long cost = traffic.oneIn(2) ? 1 : traffic.magnitude(limit.capacity());
			Decision decision = instance.acquire(List.of(new Charge(key, limit, cost)), new StoreFailureFlag())
				.decisions()
				.get(0);
			Decision peeked = sharded(0).peek(List.of(new Charge(key, limit, 0))).decisions().get(0);
			long late = divided.shards().stream().mapToLong(ShardLawTests::permitsOfOneTick).sum();
			assertThat(decision.remaining()).isBetween(peeked.remaining() - late, peeked.remaining());
			assertThat(decision.resetTicks()).isBetween(peeked.resetTicks(), peeked.resetTicks() + 1);
			if (decision.remaining() == peeked.remaining()) {
				assertThat(decision.nextPermitTicks()).isBetween(peeked.nextPermitTicks(),
						peeked.nextPermitTicks() + 1);
			}
		}
	}

	private static long permitsOfOneTick(Limit limit) {
		return limit.rate().permits() / limit.rate().periodTicks() + 1;
	}

	@Test
	void limitWithFewerPermitsThanShardsIsNotDivided() {
		TokenBucket three = new TokenBucket(Rate.parse("10/s"), 3);
		assertThat(LimitDivision.of(three, 3, 0).shards()).hasSize(3);
		assertThatIllegalArgumentException().isThrownBy(() -> LimitDivision.of(three, 4, 0));
		FixedWindow two = new FixedWindow(Rate.parse("2/s"), 10, null);
		assertThatIllegalArgumentException().isThrownBy(() -> LimitDivision.of(two, 3, 0));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LimitDivision.of(new SlidingLog(Rate.parse("10/s")), 2, 0));
		TokenBucket slowest = new TokenBucket(new Rate(10, Rate.MAX_PERIOD));
		assertThatIllegalArgumentException().isThrownBy(() -> LimitDivision.of(slowest, 2, 0));
	}

	private BucketStore sharded(int seed) {
		return new ShardedBuckets(this.store, this.ticker, new Random(seed)::nextInt);
	}

	/** A limit that can be divided, over 1 to 64 shards. */
	private static LimitDivision division(RandomTraffic traffic) {
		while (true) {
			Limit limit = traffic.oneIn(3) ? traffic.window() : traffic.limit();
			int count = (int) traffic.magnitude(BucketKey.MAX_SHARDS);
			try {
				return LimitDivision.of(limit, count, BUCKET.windowSeed());
			}
			catch (IllegalArgumentException ex) {
				// Try another limit.
			}
		}
	}

}
