package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.BucketStoreContract;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.OnFailure;
import io.tierlimit.store.Ticker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Tests for {@link RedisBucketStore} on one server.
 */
class StandaloneContractTests extends BucketStoreContract {

	private static final AtomicInteger STORES = new AtomicInteger();

	private static RedisServer server;

	private static SimulatedTime client;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = new SimulatedTime(
				ScriptClients.of(new LettuceConnectionFactory("localhost", server.port()), Duration.ofSeconds(5)));
	}

	@AfterAll
	static void stop() {
		client.close();
		server.close();
	}

	@Override
	protected BucketStore createStore() {
		RedisStoreSettings settings = new RedisStoreSettings("store-" + STORES.incrementAndGet(), Duration.ofSeconds(5),
				OnFailure.DENY, BigDecimal.ONE, 0);
		return new RedisBucketStore(client, SimulatedTime.SCRIPT, settings, new InMemoryBucketStore(Ticker.system(), 1),
				System::nanoTime);
	}

	@Override
	protected void setClock(long moment) {
		client.set(moment);
	}

	@Override
	protected void advanceClock(long ticks) {
		client.set(client.now() + ticks);
	}

}
