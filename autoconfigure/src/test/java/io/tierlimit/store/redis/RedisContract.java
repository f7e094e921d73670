package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.spi.BucketStore;
import io.tierlimit.spi.Ticker;
import io.tierlimit.store.BucketStoreContract;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.StoreListener;

/**
 * Holds a {@link RedisBucketStore} to what every store promises, over one way to reach
 * Redis.
 */
abstract class RedisContract extends BucketStoreContract {

	static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final AtomicInteger STORES = new AtomicInteger();

	/** The client, started once for all tests of a class. */
	abstract SimulatedTime client();

	@Override
	protected final BucketStore createStore() {
		RedisStoreSettings settings = new RedisStoreSettings("store-" + STORES.incrementAndGet(), TIMEOUT,
				StoreFailurePolicy.DENY, BigDecimal.ONE, 0);
		return new RedisBucketStore(client(), SimulatedTime.SCRIPT, settings,
				new InMemoryBucketStore(Ticker.system(), 1), StoreListener.NONE, System::nanoTime);
	}

	@Override
	protected final void setClock(long moment) {
		client().set(moment);
	}

	@Override
	protected final void advanceClock(long ticks) {
		client().set(client().now() + ticks);
	}

}
