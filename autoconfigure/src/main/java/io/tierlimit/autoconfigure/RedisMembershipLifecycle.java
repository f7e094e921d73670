package io.tierlimit.autoconfigure;

import io.tierlimit.store.redis.RedisBucketStore;

import org.springframework.context.SmartLifecycle;

/**
 * Registers this instance in Redis as one of the instances that share the buckets, for as
 * long as the application runs. It stops after the web server, and before the connection
 * factories: to remove the instance from Redis, Jedis requires a running connection
 * factory.
 */
final class RedisMembershipLifecycle implements SmartLifecycle {

	/** Connection factories have phase 0, and a higher phase stops earlier. */
	private static final int PHASE = 1;

	private final RedisBucketStore store;

	private volatile boolean running;

	RedisMembershipLifecycle(RedisBucketStore store) {
		this.store = store;
	}

	@Override
	public void start() {
		this.store.join();
		this.running = true;
	}

	@Override
	public void stop() {
		this.store.leave();
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
