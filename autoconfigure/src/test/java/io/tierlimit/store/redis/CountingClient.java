package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.redis.Poll;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Counts the calls of requests, whether they are sent or wait for others.
 */
final class CountingClient extends ForwardingClient {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final AtomicInteger calls = new AtomicInteger();

	CountingClient(ScriptClient client) {
		super(client);
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		Future<List<Object>> reply = this.client.send(script, call, byText);
		this.calls.incrementAndGet();
		return reply;
	}

	/** Begins to count. */
	void reset() {
		this.calls.set(0);
	}

	/** Returns when there were so many calls. */
	void await(int calls) {
		Poll.until(PATIENCE, () -> this.calls.get() >= calls, this.calls::toString);
	}

}
