package io.tierlimit.actuate;

import io.tierlimit.spi.BucketStore;

/**
 * Where buckets live.
 *
 * @param name {@code memory}, {@code redis}, or the class of the application's own
 * @param reachable whether it answers; if not, what is shown is what this instance knows
 * by itself
 */
public record StoreDescriptor(String name, boolean reachable) {

	static StoreDescriptor of(BucketStore store) {
		return new StoreDescriptor(store.name(), store.status().reachable());
	}

}
