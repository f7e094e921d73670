package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Shortens the timeout of the calls that a test leaves without a reply. A call that is
 * expected to succeed has the whole timeout.
 */
final class ImpatientClient extends ForwardingClient {

	private static final long SOON = TimeUnit.MILLISECONDS.toNanos(100);

	private volatile Predicate<ScriptCall> unanswered = (call) -> false;

	ImpatientClient(ScriptClient client) {
		super(client);
	}

	/** After this call, the matching calls wait only a tenth of a second for a reply. */
	void giveUpSoonOn(Predicate<ScriptCall> unanswered) {
		this.unanswered = unanswered;
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		Future<List<Object>> reply = this.client.send(script, call, byText);
		return this.unanswered.test(call) ? new Unanswered(reply) : reply;
	}

	/**
	 * A reply that does not arrive.
	 */
	private record Unanswered(Future<List<Object>> reply) implements Future<List<Object>> {

		@Override
		public List<Object> get(long timeout, TimeUnit unit)
				throws InterruptedException, ExecutionException, TimeoutException {
			return this.reply.get(Math.min(unit.toNanos(timeout), SOON), TimeUnit.NANOSECONDS);
		}

		@Override
		public List<Object> get() throws InterruptedException, ExecutionException {
			return this.reply.get();
		}

		@Override
		public boolean cancel(boolean mayInterrupt) {
			return this.reply.cancel(mayInterrupt);
		}

		@Override
		public boolean isCancelled() {
			return this.reply.isCancelled();
		}

		@Override
		public boolean isDone() {
			return this.reply.isDone();
		}

	}

}
