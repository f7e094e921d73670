package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.limit.Concurrency;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreListener.CallOutcome;
import io.tierlimit.store.memory.InMemoryBucketStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Buckets as they will be after the life of holders that are not renewed.
 */
public final class Later implements AutoCloseable {

	private final CallLog calls = new CallLog();

	private final RedisBucketStore store;

	/**
	 * Connects to a server, and renews the holders of the instances that are alive: their
	 * permits remain in use.
	 * @param server contains the buckets
	 * @param alive the stores of the instances
	 */
	public Later(RedisServer server, BucketStore... alive) {
		SimulatedTime client = new SimulatedTime(TestConnections.client(server.port()));
		client.set((System.currentTimeMillis() + Renewals.LIFE.toMillis()) * 1000);
		this.store = new RedisBucketStore(client, SimulatedTime.SCRIPT, Instance.SETTINGS,
				new InMemoryBucketStore(client::now, 10), this.calls, new AtomicLong()::get);
		for (BucketStore instance : alive) {
			((RedisBucketStore) instance).holders().renew();
		}
	}

	public BucketStore store() {
		return this.store;
	}

	/** The permits that remain in a bucket. */
	long left(BucketKey key, Concurrency limit) {
		return this.store.peek(List.of(new Charge(key, limit, 0))).decisions().get(0).remaining();
	}

	/** Asserts that Redis has answered all questions, since local buckets are empty. */
	@Override
	public void close() {
		this.store.close();
		assertThat(this.calls.next()).containsOnly(CallOutcome.ANSWERED);
	}

}
