package io.tierlimit.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overrun;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one operation of a store, and the arithmetic of all operations. A store
 * whose states are elsewhere, such as in a database, works in four steps: it locks and
 * reads the buckets, {@linkplain #add adds} the buckets that exist, calls the method of
 * the operation, and writes the states of the {@linkplain #changed() changed} buckets
 * back. A bucket that was not added is full. Not thread-safe.
 */
public final class LockedBuckets {

	private final Map<BucketKey, BucketState> states = new HashMap<>();

	private final Set<BucketKey> changed = new HashSet<>();

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
	 * @param now the current time in ticks
	 * @return the result of {@link BucketStore#acquire}; if it is not admitted, no
	 * permits were consumed, but rejections may have been counted
	 */
	public AcquireResult acquire(List<Charge> charges, long now) {
		Map<BucketKey, Charge> sums = new LinkedHashMap<>();
		charges.forEach((charge) -> sums.merge(charge.key(), charge, Charge::plus));
		boolean admitted = sums.values()
			.stream()
			.allMatch((sum) -> sum.shadow() || sum.isAllowed(state(sum.key()), now));
		Map<BucketKey, Decision> decisions = new HashMap<>();
		sums.forEach((key, sum) -> decisions.put(key, decide(sum, admitted, now)));
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

	private Decision decide(Charge charge, boolean admitted, long now) {
		BucketState state = state(charge.key());
		Decision decision = (admitted && charge.isAllowed(state, now)) ? charge.acquire(state, now)
				: charge.reject(state, now);
		if ((admitted && decision.allowed()) || countsRejection(charge, decision)) {
			this.states.put(charge.key(), state);
			this.changed.add(charge.key());
		}
		return decision;
	}

	private static boolean countsRejection(Charge charge, Decision decision) {
		Ban ban = decision.ban();
		return charge.options().countsRejections() && !decision.allowed() && (ban == null || ban.started());
	}

	/**
	 * Decides each charge alone. No state changes.
	 * @param charges the charges, in any order
	 * @param now the current time in ticks
	 * @return the result of {@link BucketStore#peek}
	 */
	public AcquireResult peek(List<Charge> charges, long now) {
		List<@Nullable Decision> decisions = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			decisions.add(charge.peek(state(charge.key()), now));
		}
		return new AcquireResult(true, decisions, charges);
	}

	/**
	 * Settles charges, as {@link BucketStore#settle} does. A bucket that was not added is
	 * full: it gets no permits, but may consume some.
	 * @param settlements the settlements, each with the receipt of its charge
	 * @param now the current time in ticks
	 * @return the overrun of each settlement
	 */
	public List<Overrun> settle(List<Settlement> settlements, long now) {
		List<Overrun> overruns = new ArrayList<>(settlements.size());
		for (Settlement settlement : settlements) {
			Charge charge = settlement.charge();
			BucketState state = state(charge.key());
			if (settlement.consumes() || this.states.containsKey(charge.key())) {
				overruns.add(settlement.apply(state, now));
				this.states.put(charge.key(), state);
				this.changed.add(charge.key());
			}
			else {
				overruns.add(Overrun.NONE);
			}
		}
		return overruns;
	}

	/**
	 * Resets a bucket, as {@link BucketStore#reset} does. A bucket that was not added is
	 * already full.
	 * @param key the bucket
	 * @param now the current time in ticks
	 */
	public void reset(BucketKey key, long now) {
		change(key, (state) -> state.reset(now));
	}

	/**
	 * Refills a bucket, as {@link BucketStore#refill} does. A bucket that was not added
	 * is already full.
	 * @param key the bucket
	 * @param now the current time in ticks
	 */
	public void refill(BucketKey key, long now) {
		change(key, (state) -> state.refill(now));
	}

	private void change(BucketKey key, Consumer<BucketState> operation) {
		BucketState state = this.states.get(key);
		if (state != null) {
			operation.accept(state);
			this.changed.add(key);
		}
	}

	/**
	 * The buckets that the operations have changed, and that the store must write back.
	 * @return a view, in no order
	 */
	public Set<BucketKey> changed() {
		return Collections.unmodifiableSet(this.changed);
	}

	/**
	 * The states of all buckets that were added or changed.
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
