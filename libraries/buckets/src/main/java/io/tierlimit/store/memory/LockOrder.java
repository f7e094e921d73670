package io.tierlimit.store.memory;

import java.util.List;

import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;

/**
 * The order in which the buckets of a request are locked: by their keys. The order is
 * packed into a number, with four bits for each position, because every request needs an
 * order.
 */
final class LockOrder {

	/** The maximum number of charges in an order. */
	static final int MAX_CHARGES = 16;

	/** The order of charges that are already sorted. {@link #of} never returns it. */
	static final long SORTED = -1;

	private static final int BITS = 4;

	private LockOrder() {
	}

	/**
	 * Sorts charges by their keys. Charges on one bucket stay in their order.
	 * @param charges up to {@link #MAX_CHARGES} charges
	 */
	static long of(List<Charge> charges) {
		long order = 0;
		for (int i = 1; i < charges.size(); i++) {
			BucketKey key = charges.get(i).key();
			int position = i;
			while (position > 0 && charges.get(index(order, position - 1)).key().compareTo(key) > 0) {
				position--;
			}
			order = insert(order, position, i);
		}
		return order;
	}

	private static long insert(long order, int position, int index) {
		int shift = position * BITS;
		long before = order & ((1L << shift) - 1);
		long after = order >>> shift;
		return before | ((long) index << shift) | ((after << BITS) << shift);
	}

	/** The index of the charge at a position of an order. */
	static int index(long order, int position) {
		return (order == SORTED) ? position : ((int) (order >>> (position * BITS)) & (MAX_CHARGES - 1));
	}

}
