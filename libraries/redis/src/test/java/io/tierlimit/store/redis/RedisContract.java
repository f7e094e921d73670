package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.test.BucketStoreContract;

/**
 * The contract of stores for a {@link RedisBucketStore}, over one kind of client.
 */
abstract class RedisContract extends BucketStoreContract {

	private static final AtomicInteger STORES = new AtomicInteger();

	/** The client, started once for all tests of a class. */
	abstract SimulatedTime client();

	@Override
	protected final BucketStore createStore(Ticker ticker) {
		client().follow(ticker);
		RedisStoreSettings settings = new RedisStoreSettings("store-" + STORES.incrementAndGet(),
				TestConnections.TIMEOUT, StoreFailurePolicy.DENY, BigDecimal.ONE, 0);
		return new RedisBucketStore(client(), SimulatedTime.SCRIPT, settings,
				new InMemoryBucketStore(Ticker.system(), 1), StoreListener.NONE, System::nanoTime);
	}

}
