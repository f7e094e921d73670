package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Keeps every reply back for a time.
 */
final class LateReplies extends ForwardingClient {

	private final Executor later;

	LateReplies(ScriptClient client, Duration delay) {
		super(client);
		this.later = CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		Future<List<Object>> reply = this.client.send(script, call, byText);
		CompletableFuture<List<Object>> late = new CompletableFuture<>();
		this.later.execute(() -> {
			try {
				late.complete(reply.get());
			}
			catch (ExecutionException ex) {
				late.completeExceptionally(ex.getCause());
			}
			catch (InterruptedException ex) {
				late.completeExceptionally(ex);
			}
		});
		return late;
	}

}
