package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Delays all requests, so that a test determines which of them share a call.
 */
final class CombiningClient extends ForwardingClient {

	/** A call that is in flight until {@link #release()}, and is never sent. */
	private static final ScriptCall PENDING = new ScriptCall(List.of(), List.of());

	private final RedisScript<?> script;

	private final CallQueue queue = new CallQueue(this::run);

	private final AtomicInteger waiting = new AtomicInteger();

	private final AtomicInteger calls = new AtomicInteger();

	private CompletableFuture<List<Object>> pending = new CompletableFuture<>();

	CombiningClient(ScriptClient client, RedisScript<?> script) {
		super(client);
		this.script = script;
		for (int i = 0; i < CallQueue.MAX_IN_FLIGHT; i++) {
			occupyPlace();
		}
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		if (byText || !ScriptCallFactory.isCombinable(call)) {
			return this.client.send(script, call, byText);
		}
		Future<List<Object>> reply = this.queue.send(call);
		this.waiting.incrementAndGet();
		return reply;
	}

	private CompletableFuture<List<Object>> run(ScriptCall call) {
		if (call.arguments().isEmpty()) {
			this.pending = new CompletableFuture<>();
			return this.pending;
		}
		this.calls.incrementAndGet();
		try {
			return CompletableFuture.completedFuture(this.client.send(this.script, call, false).get());
		}
		catch (Exception ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void occupyPlace() {
		CompletableFuture<List<Object>> unused = this.queue.send(PENDING);
	}

	/** Waits until a number of requests wait. */
	void await(int requests) {
		while (this.waiting.get() < requests) {
			Thread.onSpinWait();
		}
	}

	/** Sends the waiting requests; returns the number of calls. */
	int release() {
		this.calls.set(0);
		this.waiting.set(0);
		this.pending.complete(List.of(0L, 1L));
		occupyPlace();
		return this.calls.get();
	}

}
