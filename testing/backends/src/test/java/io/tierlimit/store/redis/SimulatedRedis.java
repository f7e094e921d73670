package io.tierlimit.store.redis;

import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;

/**
 * The store of an instance in a real Redis, with the clock of a test and its own
 * connection.
 */
public final class SimulatedRedis implements AutoCloseable {

	private final RedisBucketStore store;

	private SimulatedRedis(int port, Ticker clock) {
		SimulatedTime client = new SimulatedTime(TestConnections.client(port));
		client.follow(clock);
		RedisStoreSettings settings = Instance.settings(StoreFailurePolicy.DENY, 16);
		this.store = new RedisBucketStore(client, SimulatedTime.SCRIPT, settings, new InMemoryBucketStore(clock, 1),
				StoreListener.NONE, () -> clock.ticks() * 1000);
	}

	public static SimulatedRedis on(int port, Ticker clock) {
		return new SimulatedRedis(port, clock);
	}

	public BucketStore store() {
		return this.store;
	}

	@Override
	public void close() {
		this.store.close();
	}

}
