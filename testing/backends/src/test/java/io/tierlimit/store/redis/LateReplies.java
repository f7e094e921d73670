package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Delays every reply on a simulated clock. A call with a shorter timeout fails.
 */
final class LateReplies extends ForwardingClient {

	private final long delay;

	/** The clock, in nanoseconds. */
	private final AtomicLong now;

	LateReplies(ScriptClient client, Duration delay, AtomicLong now) {
		super(client);
		this.delay = delay.toNanos();
		this.now = now;
	}

	@Override
	public Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText) {
		return new LateReply(this.client.send(script, call, byText));
	}

	private final class LateReply extends FutureTask<List<Object>> {

		private final long arrival = LateReplies.this.now.get() + LateReplies.this.delay;

		LateReply(Future<List<Object>> reply) {
			super(reply::get);
		}

		@Override
		public List<Object> get(long timeout, TimeUnit unit)
				throws InterruptedException, ExecutionException, TimeoutException {
			if (LateReplies.this.now.get() + unit.toNanos(timeout) < this.arrival) {
				throw new TimeoutException();
			}
			LateReplies.this.now.accumulateAndGet(this.arrival, Math::max);
			run();
			try {
				return get();
			}
			catch (ExecutionException ex) {
				throw (ex.getCause() instanceof ExecutionException failure) ? failure : ex;
			}
		}

	}

}
