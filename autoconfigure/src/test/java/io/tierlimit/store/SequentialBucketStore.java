package io.tierlimit.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;

/**
 * What a store promises, for one request after the other: it knows no threads, and never
 * forgets a bucket.
 */
public final class SequentialBucketStore implements BucketStore {

	private final Map<BucketKey, BucketState> states = new HashMap<>();

	private final Ticker ticker;

	/**
	 * Creates a store in which every bucket is full.
	 * @param ticker the clock
	 */
	public SequentialBucketStore(Ticker ticker) {
		this.ticker = ticker;
	}

	@Override
	public Answer acquire(List<Charge> charges) {
		long now = this.ticker.ticks();
		Map<BucketKey, Charge> sums = new LinkedHashMap<>();
		for (Charge charge : charges) {
			sums.merge(charge.key(), charge, SequentialBucketStore::sum);
		}
		boolean admitted = sums.values().stream().allMatch((sum) -> sum.shadow() || allows(sum, now));
		Map<BucketKey, Decision> decisions = new HashMap<>();
		sums.forEach((key, sum) -> decisions.put(key, decide(sum, admitted, now)));
		return new Answer(admitted, charges.stream().map((charge) -> decisions.get(charge.key())).toList());
	}

	private static Charge sum(Charge first, Charge next) {
		long sum = first.cost() + next.cost();
		return new Charge(first.key(), first.limit(), (sum < 0) ? Long.MAX_VALUE : sum, first.shadow());
	}

	private boolean allows(Charge charge, long now) {
		return charge.limit().allows(state(charge.key()), charge.cost(), now);
	}

	private Decision decide(Charge charge, boolean admitted, long now) {
		BucketState state = state(charge.key());
		return admitted ? charge.limit().take(state, charge.cost(), now)
				: charge.limit().leave(state, charge.cost(), now);
	}

	@Override
	public List<Decision> peek(List<Charge> charges) {
		long now = this.ticker.ticks();
		List<Decision> decisions = new ArrayList<>();
		for (Charge charge : charges) {
			decisions.add(charge.limit().peek(state(charge.key()), charge.cost(), now));
		}
		return decisions;
	}

	@Override
	public void refund(List<Charge> charges) {
		long now = this.ticker.ticks();
		for (Charge charge : charges) {
			charge.limit().refund(state(charge.key()), charge.cost(), now);
		}
	}

	@Override
	public void reset(BucketKey key) {
		this.states.remove(key);
	}

	private BucketState state(BucketKey key) {
		return this.states.computeIfAbsent(key, (absent) -> new BucketState(Long.MIN_VALUE));
	}

}
