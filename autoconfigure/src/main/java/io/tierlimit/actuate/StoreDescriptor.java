package io.tierlimit.actuate;

import io.tierlimit.spi.BucketStore;

/**
 * The store of the buckets.
 *
 * @param name {@code memory}, {@code redis}, or the class of the application's store
 * @param reachable whether the store is available; if not, the buckets show the local
 * state of this instance
 */
public record StoreDescriptor(String name, boolean reachable) {

	static StoreDescriptor of(BucketStore store) {
		return new StoreDescriptor(store.name(), store.status().reachable());
	}

}
