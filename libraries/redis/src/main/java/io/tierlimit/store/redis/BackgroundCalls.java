package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

import io.tierlimit.store.redis.ScriptClient.ScriptCall;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Calls of a script that no request waits for.
 *
 * @param client runs the script
 * @param script the script
 * @param nanoTime a clock in nanoseconds
 */
record BackgroundCalls(ScriptClient client, RedisScript<?> script, LongSupplier nanoTime) {

	/**
	 * The time that a call waits for a reply. It is longer than the timeout of requests,
	 * because a pause of this instance must not be treated as a failure.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	Future<List<Object>> send(ScriptCall call) {
		return this.client.send(this.script, call, false);
	}

	/** The end of the wait for calls that are sent now. */
	Deadline deadline() {
		return Deadline.in(TIMEOUT, this.nanoTime);
	}

	/** Waits for a reply. If Redis does not have the script, sends its source. */
	List<Object> await(ScriptCall call, Future<List<Object>> reply, Deadline deadline) throws StoreFailure {
		try {
			return deadline.get(reply);
		}
		catch (StoreFailure.ScriptUnknown ex) {
			return deadline().get(this.client.send(this.script, call, true));
		}
	}

	List<Object> run(ScriptCall call) throws StoreFailure {
		return await(call, send(call), deadline());
	}

}
