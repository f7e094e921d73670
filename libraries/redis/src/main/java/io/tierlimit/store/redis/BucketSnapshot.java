package io.tierlimit.store.redis;

import java.util.List;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Concurrency;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Holder;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.PackedState;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * A bucket as Redis found it, before any permits were acquired.
 */
final class BucketSnapshot {

	private static final byte[] NOTHING = {};

	private final byte[] stored;

	private final boolean foreign;

	private final BucketState state;

	private final long now;

	/**
	 * Reads a value of the script's reply.
	 * @param value the stored value: a packed state, {@code null}, or a number for a
	 * value that is not a bucket
	 * @param now the time by the clock of Redis, in ticks
	 * @throws IllegalArgumentException if the script cannot have returned the value
	 */
	BucketSnapshot(@Nullable Object value, long now) {
		this.stored = (value instanceof byte[] packed) ? packed : NOTHING;
		this.foreign = value != null && this.stored == NOTHING;
		// A bucket that is not stored is full.
		this.state = (this.stored == NOTHING) ? new BucketState(Long.MIN_VALUE) : PackedState.unpack(this.stored);
		Concurrency.endBy(this.state, now + Holding.LIFE_TICKS);
		this.now = now;
	}

	/** The holders of the bucket's permits. */
	List<Holder> holders() {
		return Concurrency.holders(this.state, this.now);
	}

	/** A copy of the state. */
	BucketState state(BucketKey key) {
		return this.state.windowSeed(key.windowSeed());
	}

	long now() {
		return this.now;
	}

	/** Whether the stored value is not a bucket. */
	boolean isForeign() {
		return this.foreign;
	}

	/** The stored value; empty if there is none, or if it is not a bucket. */
	byte[] stored() {
		return this.stored;
	}

	/** Returns a charge that this bucket allows, with its receipt. */
	Charge acquired(Charge charge) {
		return charge.acquired(after(charge).receipt());
	}

	/** The stored value after a charge was acquired, without other changes. */
	byte[] storedAfter(Charge charge) {
		return PackedState.pack(after(charge));
	}

	private BucketState after(Charge charge) {
		BucketState after = state(charge.key());
		charge.acquire(after, this.now);
		return after;
	}

	/** What the script has dropped when it settled a charge. */
	Overrun settled(Settlement settlement) {
		return !settlement.consumes() ? Overrun.NONE : settlement.apply(state(settlement.charge().key()), this.now);
	}

	boolean allows(Charge charge) {
		return allows(charge, this.now);
	}

	/** Whether the bucket would have allowed a charge at an earlier time. */
	boolean allows(Charge charge, long time) {
		return charge.isAllowed(state(charge.key()), time);
	}

	/** Whether the bucket allows the same charge again after it was acquired. */
	boolean allowsTwice(Charge charge) {
		return charge.isAllowed(after(charge), this.now);
	}

	/**
	 * The decision on a charge that was not acquired.
	 * @param counted whether the script has counted the rejection, if this bucket has
	 * rejected the charge
	 */
	Decision inspect(Charge charge, boolean counted) {
		BucketState copy = state(charge.key());
		return counted ? charge.reject(copy, this.now) : charge.inspect(copy, this.now);
	}

	Decision peek(Charge charge) {
		return charge.peek(state(charge.key()), this.now);
	}

	/** The ban of the bucket; {@code null} for none. */
	@Nullable Ban ban() {
		return this.state.ban(this.now);
	}

}
