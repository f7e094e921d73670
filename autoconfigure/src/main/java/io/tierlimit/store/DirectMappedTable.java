package io.tierlimit.store;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

import io.tierlimit.spi.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * Values by bucket in a fixed number of places, like a direct-mapped cache. The hash of
 * its key gives each bucket one place, which it shares with others: a new value replaces
 * theirs. So a flood of keys takes no memory. Safe for use by any number of threads,
 * without locks.
 *
 * @param <V> the type of values, which contain their bucket's key
 */
public final class DirectMappedTable<V> {

	private final AtomicReferenceArray<@Nullable V> places;

	/**
	 * Creates an empty table.
	 * @param size the number of places, 1 or more
	 */
	public DirectMappedTable(int size) {
		this.places = new AtomicReferenceArray<>(size);
	}

	/**
	 * The value in a bucket's place.
	 * @param key the bucket
	 * @return a value, perhaps of another bucket; {@code null} if the place is empty
	 */
	public @Nullable V get(BucketKey key) {
		return this.places.get(place(key));
	}

	/**
	 * Puts a value into a bucket's place.
	 * @param key the bucket
	 * @param value replaces the present value
	 */
	public void put(BucketKey key, V value) {
		this.places.set(place(key), value);
	}

	/**
	 * Replaces the value in a bucket's place, unless it has changed meanwhile.
	 * @param key the bucket
	 * @param expected the value that {@link #get} has returned
	 * @param value the new value; {@code null} empties the place
	 * @return whether it was replaced
	 */
	public boolean replace(BucketKey key, @Nullable V expected, @Nullable V value) {
		return this.places.compareAndSet(place(key), expected, value);
	}

	/**
	 * Removes all values that match, one by one.
	 * @param filter whether to remove a value
	 */
	public void removeIf(Predicate<V> filter) {
		for (int i = 0; i < this.places.length(); i++) {
			V value = this.places.get(i);
			if (value != null && filter.test(value)) {
				this.places.compareAndSet(i, value, null);
			}
		}
	}

	private int place(BucketKey key) {
		// The upper bits depend on the whole hash.
		return (int) (key.windowSeed() >>> Integer.SIZE) % this.places.length();
	}

}
