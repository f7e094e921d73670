package io.tierlimit.offender;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Finds the most frequent keys of a stream with a fixed number of counters: the algorithm
 * Space-Saving of A. Metwally, D. Agrawal and A. El Abbadi, "Efficient Computation of
 * Frequent and Top-k Elements in Data Streams" (ICDT 2005).
 * <p>
 * Each counter belongs to one key. A key without a counter takes over the smallest
 * counter, and adds to its count. The count before that is the error of the new key,
 * because the key may have occurred as often before, while it had no counter. The number
 * of occurrences of a key is therefore at most its count, and at least its count minus
 * its error. A key without a counter has occurred at most {@link #smallest()} times. The
 * sum of all counts is the length of the stream, so each key with a share of more than
 * one in {@code capacity} has a counter.
 * <p>
 * The counters are sorted by their count. Before a counter is increased, it is swapped
 * with the first counter that has the same count. A binary search finds that counter, and
 * the order is kept. Not thread-safe.
 */
final class SpaceSaving {

	private final int capacity;

	private final List<Counter> descending = new ArrayList<>();

	private final Map<String, Counter> byKey = new HashMap<>();

	private long total;

	/**
	 * Creates an empty summary.
	 * @param capacity the number of counters, 1 or more
	 */
	SpaceSaving(int capacity) {
		this.capacity = capacity;
	}

	/**
	 * Counts a key.
	 * @param key the key
	 * @param plan the plan that the key belongs to, which must be the same in each call
	 * for a key
	 */
	void add(String key, @Nullable String plan) {
		Counter counter = this.byKey.get(key);
		if (counter == null) {
			counter = (this.byKey.size() < this.capacity) ? create(key, plan) : replaceSmallest(key, plan);
			this.byKey.put(key, counter);
		}
		int first = firstWithCountOf(counter);
		swap(counter, this.descending.get(first));
		counter.count++;
		this.total++;
	}

	private Counter create(String key, @Nullable String plan) {
		Counter counter = new Counter(key, plan, 0, this.descending.size());
		this.descending.add(counter);
		return counter;
	}

	private Counter replaceSmallest(String key, @Nullable String plan) {
		Counter smallest = this.descending.get(this.capacity - 1);
		this.byKey.remove(smallest.key);
		Counter counter = new Counter(key, plan, smallest.count, smallest.index);
		this.descending.set(smallest.index, counter);
		return counter;
	}

	private int firstWithCountOf(Counter counter) {
		int low = 0;
		int high = counter.index;
		while (low < high) {
			int middle = (low + high) >>> 1;
			if (this.descending.get(middle).count > counter.count) {
				low = middle + 1;
			}
			else {
				high = middle;
			}
		}
		return low;
	}

	private void swap(Counter counter, Counter other) {
		Collections.swap(this.descending, counter.index, other.index);
		int index = counter.index;
		counter.index = other.index;
		other.index = index;
	}

	/** The counters, in descending order of their counts. */
	List<Counter> counters() {
		return Collections.unmodifiableList(this.descending);
	}

	/** The counter of a key; {@code null} if the key has no counter. */
	@Nullable Counter counter(String key) {
		return this.byKey.get(key);
	}

	/** An upper bound of the occurrences of a key without a counter. */
	long smallest() {
		return (this.descending.size() < this.capacity) ? 0 : this.descending.get(this.capacity - 1).count;
	}

	/** The length of the stream. */
	long total() {
		return this.total;
	}

	/**
	 * The counter of a key.
	 */
	static final class Counter {

		private final String key;

		private final @Nullable String plan;

		private final long error;

		private long count;

		private int index;

		private Counter(String key, @Nullable String plan, long error, int index) {
			this.key = key;
			this.plan = plan;
			this.error = error;
			this.count = error;
			this.index = index;
		}

		String key() {
			return this.key;
		}

		@Nullable String plan() {
			return this.plan;
		}

		/** An upper bound of the occurrences of the key. */
		long atMost() {
			return this.count;
		}

		/** A lower bound of the occurrences of the key. */
		long atLeast() {
			return this.count - this.error;
		}

	}

}
