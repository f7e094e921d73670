package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.test.BucketStoreContract;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The contract of stores for a {@link RedisBucketStore}, over one kind of client.
 */
abstract class RedisContract extends BucketStoreContract {

	private static final AtomicInteger STORES = new AtomicInteger();

	/** The client of all tests of a class; ends with the JVM. */
	private static final Map<Class<?>, SimulatedTime> CLIENTS = new ConcurrentHashMap<>();

	/** Called once for each class. */
	abstract RedisConnectionFactory connections();

	@Override
	protected final BucketStore createStore(Ticker ticker) {
		SimulatedTime client = CLIENTS.computeIfAbsent(getClass(),
				(type) -> new SimulatedTime(ScriptClientFactory.create(connections(), TestConnections.TIMEOUT)));
		client.follow(ticker);
		RedisStoreSettings settings = new RedisStoreSettings("store-" + STORES.incrementAndGet(),
				TestConnections.TIMEOUT, StoreFailurePolicy.DENY, BigDecimal.ONE, 0);
		return new RedisBucketStore(client, SimulatedTime.SCRIPT, settings, new InMemoryBucketStore(Ticker.system(), 1),
				StoreListener.NONE, System::nanoTime);
	}

}
