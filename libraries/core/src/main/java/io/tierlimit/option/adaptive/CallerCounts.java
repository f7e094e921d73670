package io.tierlimit.option.adaptive;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts requests by caller. The memory does not depend on the number of callers: callers
 * whose hashes have the same slot are counted as one caller. For 400 callers, the result
 * is about 380.
 */
final class CallerCounts {

	private static final int BITS = 12;

	private final AtomicIntegerArray counts = new AtomicIntegerArray(1 << BITS);

	/** The slot of a caller. */
	static int slot(String caller) {
		// Multiplied, so that similar names differ in the highest bits.
		return (caller.hashCode() * 0x9E3779B9) >>> (Integer.SIZE - BITS);
	}

	/** Adds a request. Returns whether it is the only request of its caller. */
	boolean add(int slot) {
		return this.counts.incrementAndGet(slot) == 1;
	}

	void remove(int slot) {
		this.counts.decrementAndGet(slot);
	}

	/** The number of callers with a request. */
	int callers() {
		int callers = 0;
		for (int i = 0; i < this.counts.length(); i++) {
			callers += (this.counts.get(i) > 0) ? 1 : 0;
		}
		return callers;
	}

}
