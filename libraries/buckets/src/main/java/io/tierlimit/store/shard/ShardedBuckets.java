package io.tierlimit.store.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Ban;
import io.tierlimit.limit.Overrun;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.PermitHolder;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreStatus;
import io.tierlimit.store.Ticker;

/**
 * Spreads buckets over several buckets of another store, their shards, so that many
 * requests for one bucket do not all need the same key of the store.
 * <p>
 * A charge on a bucket with several {@linkplain BucketKey#shards() shards} is decided by
 * one of two shards that are drawn at random: by the one with more permits, as far as
 * this instance knows. If that shard rejects the charge, no other shard is asked. The
 * rates and bursts of the shards add up to the limit of the bucket, so never more permits
 * are consumed than from one bucket. Decisions contain the sum of all shards: the current
 * level of the shards that were asked, and the last known levels of the others, with the
 * permits that these have earned since.
 * <p>
 * Charges on other buckets are passed on without changes. Thread-safe.
 */
public final class ShardedBuckets implements BucketStore {

	/** More buckets are not expected: a bucket with shards is shared by callers. */
	private static final int MAX_BUCKETS = 1_000;

	private static final long AVOIDED_TICKS = 1_000_000;

	private final BucketStore store;

	private final Ticker ticker;

	private final IntUnaryOperator random;

	private final ConcurrentMap<BucketKey, ShardedBucket> buckets = new ConcurrentHashMap<>();

	/**
	 * Creates the sharded buckets of a store.
	 * @param store stores the shards, and all other buckets
	 * @param ticker measures the time since a shard was last seen
	 */
	public ShardedBuckets(BucketStore store, Ticker ticker) {
		this(store, ticker, (bound) -> ThreadLocalRandom.current().nextInt(bound));
	}

	/**
	 * Creates the sharded buckets of a store.
	 * @param store stores the shards, and all other buckets
	 * @param ticker measures the time since a shard was last seen
	 * @param random returns a random number from 0 to below its argument
	 */
	public ShardedBuckets(BucketStore store, Ticker ticker, IntUnaryOperator random) {
		this.store = store;
		this.ticker = ticker;
		this.random = random;
	}

	private static boolean isSpread(Charge charge) {
		return charge.key().shards() > 1;
	}

	private static boolean areSpread(List<Charge> charges) {
		for (int i = 0; i < charges.size(); i++) {
			if (isSpread(charges.get(i))) {
				return true;
			}
		}
		return false;
	}

	private ShardedBucket bucket(Charge charge) {
		BucketKey key = charge.key();
		ShardedBucket bucket = this.buckets.get(key);
		if (bucket == null || bucket.shards().size() != key.shards()) {
			if (this.buckets.size() >= MAX_BUCKETS) {
				this.buckets.clear();
			}
			bucket = new ShardedBucket(key, charge.limit());
			this.buckets.put(key, bucket);
		}
		return bucket;
	}

	@Override
	public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
		if (!areSpread(charges)) {
			return this.store.acquire(charges, failureFlag);
		}
		long now = this.ticker.ticks();
		SpreadCharges spread = spread(charges, (bucket, charge) -> bucket.select(charge, now, this.random));
		AcquireResult result = this.store.acquire(spread.onShards(), failureFlag);
		AcquireResult combined = spread.combine(result, this.ticker.ticks(), true);
		if (result.source() != Source.STORE) {
			long until = this.ticker.ticks() + AVOIDED_TICKS;
			spread.selections().forEach((selection) -> selection.avoid(until));
		}
		else if (result.admitted()) {
			List<Charge> incomplete = incomplete(combined);
			if (!incomplete.isEmpty()) {
				this.store.refund(incomplete, failureFlag);
			}
		}
		return combined;
	}

	/** Selects the shards of each charge. */
	private SpreadCharges spread(List<Charge> charges, BiFunction<ShardedBucket, Charge, ShardSelection> select) {
		List<ShardSelection> selections = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			selections.add(isSpread(charge) ? select.apply(bucket(charge), charge) : ShardSelection.unspread(charge));
		}
		return new SpreadCharges(selections);
	}

	/** The parts of charges that the store has admitted without other parts. */
	private static List<Charge> incomplete(AcquireResult result) {
		List<Charge> incomplete = new ArrayList<>();
		for (Charge charge : result.charges()) {
			if (charge instanceof SpreadCharge spread) {
				incomplete.addAll(spread.incomplete());
			}
		}
		return incomplete;
	}

	@Override
	public AcquireResult peek(List<Charge> charges) {
		if (!areSpread(charges)) {
			return this.store.peek(charges);
		}
		SpreadCharges levels = spread(charges, ShardedBucket::inspection);
		AcquireResult read = levels.combine(this.store.peek(levels.onShards()), this.ticker.ticks(), true);
		if (read.source() != Source.STORE || charges.stream().allMatch((charge) -> charge.cost() == 0)) {
			return read;
		}
		long now = this.ticker.ticks();
		SpreadCharges costs = spread(charges, (bucket, charge) -> bucket.best(charge, now));
		return costs.combine(this.store.peek(costs.onShards()), this.ticker.ticks(), false);
	}

	@Override
	public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
		List<Settlement> onShards = new ArrayList<>(settlements.size());
		List<Integer> ends = new ArrayList<>(settlements.size());
		for (Settlement settlement : settlements) {
			onShards.addAll(onShards(settlement));
			ends.add(onShards.size());
		}
		List<Overrun> all = this.store.settle(onShards, failureFlag);
		List<Overrun> overruns = new ArrayList<>(settlements.size());
		for (int i = 0; i < settlements.size() && !all.isEmpty(); i++) {
			overruns.add(combine(all.subList((i > 0) ? ends.get(i - 1) : 0, ends.get(i))));
		}
		return overruns;
	}

	/** All shards together: the bound is reached if each shard has reached its bound. */
	private static Overrun combine(List<Overrun> overruns) {
		return new Overrun(overruns.stream().mapToLong(Overrun::dropped).sum(),
				!overruns.isEmpty() && overruns.stream().allMatch(Overrun::reached));
	}

	/**
	 * A lower cost returns permits to the shards of the charge. A higher cost is consumed
	 * from all shards, each of which may owe its part of the maximum debt.
	 */
	private List<Settlement> onShards(Settlement settlement) {
		Charge charge = settlement.charge();
		if (settlement.consumes() && isSpread(charge)) {
			Charge more = new Charge(charge.key(), charge.limit(), settlement.actual() - charge.cost(),
					charge.options());
			return bucket(charge).additions(more, this.random)
				.stream()
				.map((part) -> new Settlement(new Charge(part.key(), part.limit(), 0, part.options()), part.cost(),
						settlement.maxDebt() / charge.key().shards()))
				.toList();
		}
		if (charge instanceof SpreadCharge spread) {
			return spread.settle(settlement);
		}
		return !isSpread(charge) ? List.of(settlement)
				: bucket(charge).additions(charge, this.random).stream().map(Settlement::refund).toList();
	}

	@Override
	public boolean reset(BucketKey key, StoreFailureFlag failureFlag) {
		return onEach(key, (each) -> this.store.reset(each, failureFlag));
	}

	@Override
	public boolean refill(BucketKey key, StoreFailureFlag failureFlag) {
		return onEach(key, (each) -> this.store.refill(each, failureFlag));
	}

	/** Changes a bucket and its shards. */
	private boolean onEach(BucketKey key, Predicate<BucketKey> change) {
		boolean done = change.test(key);
		for (int i = 0; i < key.shards() && key.shards() > 1; i++) {
			done &= change.test(key.shard(i));
		}
		this.buckets.remove(key);
		return done;
	}

	@Override
	public boolean resetAll(String rule) {
		boolean done = this.store.resetAll(rule);
		this.buckets.keySet().removeIf((key) -> key.rule().equals(rule));
		return done;
	}

	@Override
	public Map<BucketKey, Ban> bans(String rule, int most) {
		return this.store.bans(rule, most);
	}

	@Override
	public List<PermitHolder> holders(BucketKey key) {
		return this.store.holders(key);
	}

	@Override
	public boolean release(BucketKey key, String holder) {
		return this.store.release(key, holder);
	}

	@Override
	public boolean supports(Algorithm algorithm) {
		return this.store.supports(algorithm);
	}

	@Override
	public String name() {
		return this.store.name();
	}

	@Override
	public StoreStatus status() {
		return this.store.status();
	}

}
