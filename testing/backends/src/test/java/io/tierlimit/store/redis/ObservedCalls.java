package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;

import io.tierlimit.junit.Poll;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs an action of a test right before a call is sent, on the thread that sends it, and
 * counts the calls.
 */
final class ObservedCalls extends ForwardingClient {

	private final AtomicInteger sent = new AtomicInteger();

	private volatile Observer observer = (operation, key) -> {
	};

	private volatile BiPredicate<String, String> failing = (operation, key) -> false;

	ObservedCalls(ScriptClient client) {
		super(client);
	}

	/**
	 * Returns an action that waits until a number of further calls are sent, or wait for
	 * other calls.
	 */
	Runnable awaitingMore(int calls) {
		int before = this.sent.get();
		return () -> Poll.until(() -> this.sent.get() >= before + calls, this.sent::toString);
	}

	/**
	 * Fails calls without sending them. The calls are selected by their operation and
	 * first key.
	 */
	void fail(BiPredicate<String, String> which) {
		this.failing = which;
	}

	void before(Observer before) {
		this.observer = before;
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		String operation = new String(call.arguments().get(0), StandardCharsets.US_ASCII);
		String key = call.keys().isEmpty() ? "" : new String(call.keys().get(0), StandardCharsets.UTF_8);
		this.observer.see(operation, key);
		if (this.failing.test(operation, key)) {
			return CompletableFuture.failedFuture(new IllegalStateException("A test's failure"));
		}
		Future<List<Object>> reply = this.client.send(script, call, byText);
		this.sent.incrementAndGet();
		return reply;
	}

	/**
	 * Is notified of a call with its operation and its first key.
	 */
	@FunctionalInterface
	interface Observer {

		void see(String operation, String key);

	}

}
