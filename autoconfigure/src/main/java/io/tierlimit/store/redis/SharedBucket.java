package io.tierlimit.store.redis;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Decision;
import io.tierlimit.store.Charge;

/**
 * How Redis found a bucket.
 *
 * @param state the bucket before anything was taken
 * @param now the moment, by the clock of Redis in ticks
 * @param foreign whether something was stored in its place that is no bucket
 */
record SharedBucket(BucketState state, long now, boolean foreign) {

	boolean allows(Charge charge) {
		return charge.limit().allows(this.state, charge.cost(), this.now);
	}

	/** Words what the script has decided. */
	Decision decision(Charge charge, boolean admitted) {
		return admitted ? charge.limit().take(this.state.copy(), charge.cost(), this.now)
				: charge.limit().leave(this.state, charge.cost(), this.now);
	}

	Decision peek(Charge charge) {
		return charge.limit().peek(this.state, charge.cost(), this.now);
	}

}
