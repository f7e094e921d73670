package io.tierlimit.store;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.spi.Answer;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.Ticker;
import io.tierlimit.spi.Waits;
import org.jspecify.annotations.Nullable;

/**
 * What a store promises, for one request after the other: it knows no threads, and never
 * forgets a bucket.
 */
public final class SequentialBucketStore implements BucketStore {

	private final Map<BucketKey, BucketState> states = new HashMap<>();

	private final Map<BucketKey, Limit> limits = new HashMap<>();

	private final Ticker ticker;

	/**
	 * Creates a store in which every bucket is full.
	 * @param ticker the clock
	 */
	public SequentialBucketStore(Ticker ticker) {
		this.ticker = ticker;
	}

	@Override
	public Answer acquire(List<Charge> charges, Waits waits) {
		long now = this.ticker.ticks();
		Map<BucketKey, Charge> sums = new LinkedHashMap<>();
		for (Charge charge : charges) {
			sums.merge(charge.key(), charge, SequentialBucketStore::sum);
		}
		boolean admitted = sums.values().stream().allMatch((sum) -> sum.shadow() || allows(sum, now));
		Map<BucketKey, Decision> decisions = new HashMap<>();
		sums.forEach((key, sum) -> decisions.put(key, decide(sum, admitted, now)));
		List<Charge> decided = charges.stream().map((charge) -> acquired(charge, decisions, admitted)).toList();
		return new Answer(admitted, charges.stream().map((charge) -> decisions.get(charge.key())).toList(), decided);
	}

	private Charge acquired(Charge charge, Map<BucketKey, Decision> decisions, boolean admitted) {
		Decision decision = decisions.get(charge.key());
		return (admitted && decision != null && decision.allowed()) ? charge.acquired(state(charge).receipt()) : charge;
	}

	private static Charge sum(Charge first, Charge next) {
		long sum = first.cost() + next.cost();
		return new Charge(first.key(), first.limit(), (sum < 0) ? Long.MAX_VALUE : sum, first.terms());
	}

	private boolean allows(Charge charge, long now) {
		return charge.limit().allows(state(charge), charge.cost(), charge.terms().overdraft(), now);
	}

	private Decision decide(Charge charge, boolean admitted, long now) {
		Limit limit = charge.limit();
		BucketState state = state(charge);
		this.states.put(charge.key(), state);
		this.limits.put(charge.key(), limit);
		Overdraft overdraft = charge.terms().overdraft();
		return admitted ? limit.take(state, charge.cost(), overdraft, now)
				: limit.leave(state, charge.cost(), overdraft, now);
	}

	@Override
	public Answer peek(List<Charge> charges) {
		long now = this.ticker.ticks();
		return new Answer(true, charges.stream().map((charge) -> peek(charge, now)).toList(), charges);
	}

	private @Nullable Decision peek(Charge charge, long now) {
		return charge.limit().peek(state(charge), charge.cost(), charge.terms().overdraft(), now);
	}

	@Override
	public void refund(List<Charge> charges, Waits waits) {
		long now = this.ticker.ticks();
		for (Charge charge : charges) {
			if (wasTakenFrom(charge.key())) {
				charge.limit().refund(state(charge), charge.cost(), charge.receipt(), now);
			}
		}
	}

	@Override
	public boolean reset(BucketKey key, Waits waits) {
		makeFull(key);
		return true;
	}

	private void makeFull(BucketKey key) {
		Limit limit = this.limits.get(key);
		BucketState state = this.states.get(key);
		if (limit != null && state != null && wasTakenFrom(key)) {
			state.reset(this.ticker.ticks());
		}
	}

	@Override
	public boolean resetAll(String rule) {
		List.copyOf(this.states.keySet()).stream().filter((key) -> key.rule().equals(rule)).forEach(this::makeFull);
		return true;
	}

	/** A bucket's state; {@code null} for one that was never asked about. */
	public @Nullable BucketState state(BucketKey key) {
		return this.states.get(key);
	}

	private boolean wasTakenFrom(BucketKey key) {
		BucketState state = this.states.get(key);
		return state != null && state.asOf() != Long.MIN_VALUE;
	}

	private BucketState state(Charge charge) {
		BucketState state = this.states.get(charge.key());
		return (state != null) ? state : new BucketState(Long.MIN_VALUE, charge.key().spread());
	}

}
