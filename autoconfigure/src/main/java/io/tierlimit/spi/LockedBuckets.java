package io.tierlimit.spi;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one operation of a store, and the arithmetic of all operations. A store
 * whose states are elsewhere, such as in a database, works in four steps: it locks and
 * reads the buckets, {@linkplain #add adds} those that exist, calls the method of the
 * operation, and writes the {@linkplain #states() states} back. Each bucket that was not
 * added is full. Not thread-safe.
 */
public final class LockedBuckets {

	private final Map<BucketKey, BucketState> states = new HashMap<>();

	/**
	 * Adds a bucket that exists.
	 * @param key the bucket
	 * @param state the state that the store has read; it is copied
	 */
	public void add(BucketKey key, BucketState state) {
		this.states.put(key, state.windowSeed(key.windowSeed()));
	}

	/**
	 * Decides all charges together, and acquires their permits if the request is
	 * admitted.
	 * @param charges the charges, in any order
	 * @param now the moment in ticks
	 * @return the result of {@link BucketStore#acquire}; if it is not admitted, no state
	 * has changed
	 */
	public AcquireResult acquire(List<Charge> charges, long now) {
		Map<BucketKey, Charge> sums = new LinkedHashMap<>();
		charges.forEach((charge) -> sums.merge(charge.key(), charge, LockedBuckets::sum));
		boolean admitted = sums.values().stream().allMatch((sum) -> sum.shadow() || allows(sum, now));
		Map<BucketKey, Decision> decisions = new HashMap<>();
		sums.forEach((key, sum) -> decisions.put(key, admitted ? acquire(sum, now) : inspect(sum, now)));
		List<@Nullable Decision> found = new ArrayList<>(charges.size());
		List<Charge> decided = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			Decision decision = decisions.get(charge.key());
			boolean acquired = admitted && decision != null && decision.allowed();
			found.add(decision);
			decided.add(acquired ? charge.acquired(state(charge.key()).receipt()) : charge);
		}
		return new AcquireResult(admitted, found, decided);
	}

	private static Charge sum(Charge first, Charge next) {
		long most = Long.MAX_VALUE - first.cost();
		return new Charge(first.key(), first.limit(), first.cost() + Math.min(next.cost(), most), first.options());
	}

	private boolean allows(Charge charge, long now) {
		return charge.limit().allows(state(charge.key()), charge.cost(), charge.options().overdraft(), now);
	}

	private Decision acquire(Charge charge, long now) {
		BucketState state = state(charge.key());
		Decision decision = charge.limit().acquire(state, charge.cost(), charge.options().overdraft(), now);
		if (decision.allowed()) {
			this.states.put(charge.key(), state);
		}
		return decision;
	}

	private Decision inspect(Charge charge, long now) {
		return charge.limit().inspect(state(charge.key()), charge.cost(), charge.options().overdraft(), now);
	}

	/**
	 * Decides each charge alone. No state changes.
	 * @param charges the charges, in any order
	 * @param now the moment in ticks
	 * @return the result of {@link BucketStore#peek}
	 */
	public AcquireResult peek(List<Charge> charges, long now) {
		List<@Nullable Decision> decisions = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			Limit limit = charge.limit();
			decisions.add(limit.peek(state(charge.key()), charge.cost(), charge.options().overdraft(), now));
		}
		return new AcquireResult(true, decisions, charges);
	}

	/**
	 * Refunds charges, as {@link BucketStore#refund} does. Charges on buckets that were
	 * not added are ignored: there is nothing to refund to a full bucket.
	 * @param charges the charges, each with its receipt
	 * @param now the moment in ticks
	 */
	public void refund(List<Charge> charges, long now) {
		for (Charge charge : charges) {
			BucketState state = this.states.get(charge.key());
			if (state != null) {
				charge.limit().refund(state, charge.cost(), charge.receipt(), now);
			}
		}
	}

	/**
	 * Resets a bucket. A bucket that was not added is already full.
	 * @param key the bucket
	 * @param now the moment in ticks
	 */
	public void reset(BucketKey key, long now) {
		BucketState state = this.states.get(key);
		if (state != null) {
			state.reset(now);
		}
	}

	/**
	 * The states of all buckets that were added or charged.
	 * @return a view, by bucket and in no order; the states change with the next
	 * operation
	 */
	public Map<BucketKey, BucketState> states() {
		return Collections.unmodifiableMap(this.states);
	}

	private BucketState state(BucketKey key) {
		BucketState state = this.states.get(key);
		// The time of a bucket starts with the first charge, not with a rejection.
		return (state != null) ? state : new BucketState(Long.MIN_VALUE, key.windowSeed());
	}

}
