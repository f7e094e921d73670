package io.tierlimit.spi;

import java.util.List;

import io.tierlimit.limit.Decision;
import org.jspecify.annotations.Nullable;

/**
 * What a store says to a request's charges.
 *
 * @param admitted whether the request may go on
 * @param source where that was decided
 * @param decisions one a charge, in the order of the charges; if the request was not
 * admitted, whether each bucket alone would have allowed it, with what is left in it.
 * {@code null} for a bucket that was not asked
 * @param charges the charges as they were decided, in their order: acquired ones have a
 * receipt, and one is on another key where there was no bucket of its own. These are to
 * be refunded. If the source is {@link Source#NONE}, only those that stop the request
 */
public record Answer(boolean admitted, Source source, List<@Nullable Decision> decisions, List<Charge> charges) {

	/**
	 * Creates the answer of a store that was reached.
	 * @param admitted whether every enforced charge was allowed, and all were taken
	 * @param decisions one a charge, in the order of the charges
	 * @param charges the charges as they were decided, in their order
	 */
	public Answer(boolean admitted, List<@Nullable Decision> decisions, List<Charge> charges) {
		this(admitted, Source.STORE, decisions, charges);
	}

	/**
	 * Where a request is decided.
	 */
	public enum Source {

		/** In the store proper. */
		STORE,

		/**
		 * In this instance, while the store can't be reached: by its own buckets, with no
		 * decision for what drops out.
		 */
		FALLBACK,

		/**
		 * Nowhere: the store can't be reached, and an enforced charge is to stop the
		 * request then.
		 */
		NONE

	}

}
