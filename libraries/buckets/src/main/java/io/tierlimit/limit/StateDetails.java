package io.tierlimit.limit;

import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link BucketState} that few buckets need: buckets of some algorithms,
 * buckets with reservations, buckets whose limit has changed, and buckets that may be
 * banned.
 */
final class StateDetails {

	/** Permits reserved beyond the capacity. */
	long debt;

	/** Permits consumed in the window before the present one. */
	long previous;

	/** A number derived from the bucket's key. */
	long windowSeed;

	/** The maximum number of entries of the log. */
	int mostEntries = Integer.MAX_VALUE;

	/**
	 * The charges and their times, for an algorithm that needs them. Their sum is
	 * {@link BucketState#consumed}.
	 */
	@Nullable ConsumptionLog log;

	/** The holders of permits, for an algorithm that has them. */
	@Nullable Holders holders;

	/**
	 * The limit of the last check, if it is not the limit under which the numbers were
	 * written.
	 */
	@Nullable Limit limit;

	/** The rejections and bans; {@code null} if there are none. */
	@Nullable BanHistory bans;

	/** Removes the numbers of earlier charges. */
	void restart(long nowDebt) {
		this.debt = nowDebt;
		this.previous = 0;
		this.log = null;
		this.holders = null;
	}

	StateDetails copy() {
		StateDetails copy = new StateDetails();
		copy.debt = this.debt;
		copy.previous = this.previous;
		copy.windowSeed = this.windowSeed;
		copy.mostEntries = this.mostEntries;
		copy.log = (this.log != null) ? this.log.copy() : null;
		copy.holders = (this.holders != null) ? this.holders.copy() : null;
		copy.limit = this.limit;
		copy.bans = (this.bans != null) ? this.bans.copy() : null;
		return copy;
	}

}
