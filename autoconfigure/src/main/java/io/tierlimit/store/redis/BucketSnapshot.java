package io.tierlimit.store.redis;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.PackedState;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import org.jspecify.annotations.Nullable;

/**
 * How Redis found a bucket, before anything was taken.
 */
final class BucketSnapshot {

	private static final byte[] NOTHING = {};

	private final byte[] stored;

	private final boolean foreign;

	private final BucketState state;

	private final long now;

	/**
	 * Reads what the script tells.
	 * @param value what was stored: a packed state, {@code null}, or a number for what is
	 * no bucket
	 * @param now the moment, by the clock of Redis in ticks
	 * @throws IllegalArgumentException if the script can't have told so
	 */
	BucketSnapshot(@Nullable Object value, long now) {
		this.stored = (value instanceof byte[] packed) ? packed : NOTHING;
		this.foreign = value != null && this.stored == NOTHING;
		// None that the script knows is full.
		this.state = (this.stored == NOTHING) ? new BucketState(Long.MIN_VALUE) : PackedState.unpack(this.stored);
		this.now = now;
	}

	/** How it was, in an object of its own. */
	BucketState state(BucketKey key) {
		return this.state.windowSeed(key.windowSeed());
	}

	long now() {
		return this.now;
	}

	/** Whether something was stored in its place that is no bucket. */
	boolean isForeign() {
		return this.foreign;
	}

	/** What was stored; empty for nothing, or what is no bucket. */
	byte[] stored() {
		return this.stored;
	}

	/** A charge that this bucket allows, once it was acquired. */
	Charge acquired(Charge charge) {
		return charge.acquired(after(charge).receipt());
	}

	/** What is stored once a charge was acquired, if nobody else has acted since. */
	byte[] storedAfter(Charge charge) {
		return PackedState.pack(after(charge));
	}

	private BucketState after(Charge charge) {
		BucketState after = state(charge.key());
		charge.limit().acquire(after, charge.cost(), charge.options().overdraft(), this.now);
		return after;
	}

	boolean allows(Charge charge) {
		return charge.limit().allows(state(charge.key()), charge.cost(), charge.options().overdraft(), this.now);
	}

	/** Words what the script has decided. */
	Decision decision(Charge charge, boolean admitted) {
		BucketState before = state(charge.key());
		Overdraft overdraft = charge.options().overdraft();
		return admitted ? charge.limit().acquire(before, charge.cost(), overdraft, this.now)
				: charge.limit().inspect(before, charge.cost(), overdraft, this.now);
	}

	Decision peek(Charge charge) {
		return charge.limit().peek(state(charge.key()), charge.cost(), charge.options().overdraft(), this.now);
	}

}
