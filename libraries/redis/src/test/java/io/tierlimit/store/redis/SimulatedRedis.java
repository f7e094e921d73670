package io.tierlimit.store.redis;

import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The store of an instance in a real Redis, with the clock of a test and its own
 * connection.
 */
public final class SimulatedRedis implements AutoCloseable {

	private final LettuceConnectionFactory factory;

	private final RedisBucketStore store;

	private SimulatedRedis(LettuceConnectionFactory factory, Ticker clock) {
		this.factory = factory;
		SimulatedTime client = new SimulatedTime(ScriptClientFactory.create(factory, TestConnections.TIMEOUT));
		client.follow(clock);
		RedisStoreSettings settings = Instance.settings(StoreFailurePolicy.DENY, 16);
		this.store = new RedisBucketStore(client, SimulatedTime.SCRIPT, settings, new InMemoryBucketStore(clock, 1),
				StoreListener.NONE, () -> clock.ticks() * 1000);
	}

	public static SimulatedRedis on(int port, Ticker clock) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory("localhost", port);
		factory.start();
		return new SimulatedRedis(factory, clock);
	}

	public BucketStore store() {
		return this.store;
	}

	@Override
	public void close() {
		this.store.close();
		this.factory.destroy();
	}

}
