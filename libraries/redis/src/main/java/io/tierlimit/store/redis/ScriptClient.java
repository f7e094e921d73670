package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.Future;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs scripts on Redis.
 */
interface ScriptClient extends AutoCloseable {

	/**
	 * Sends the script's digest, or its source. The future reports all failures.
	 * @param script the script
	 * @param call the keys, all in one slot, and the arguments
	 * @param byText whether to send the source, so that Redis can run the script by its
	 * digest later
	 * @return the reply: integers as {@code Long}, strings as bytes
	 */
	Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText);

	/**
	 * Sends the script's digest, and returns at once, without waiting for the reply.
	 * Failures are not reported. The default implementation calls {@link #send}, for a
	 * client that does not block.
	 * @param script the script
	 * @param call the keys, all in one slot, and the arguments
	 * @return whether the call is sent; {@code false} if too many such calls are in
	 * progress
	 */
	default boolean sendUnawaited(RedisScript<?> script, ScriptCall call) {
		Future<List<Object>> unused = send(script, call, false);
		return true;
	}

	/**
	 * Finds keys, page by page.
	 * @param start the prefix of the keys, without the special characters of patterns
	 * @param deadline the end of the search
	 * @param pages receives the keys; a key may occur twice
	 * @throws StoreFailure if not all keys were found before the deadline, or if a page
	 * fails
	 */
	void scan(String start, Deadline deadline, Pages pages) throws StoreFailure;

	/**
	 * Replaces a connection whose server does not reply. By default has no effect, for a
	 * factory that replaces its own connections.
	 */
	default void reconnect() {
	}

	/**
	 * Names the server that a call goes to.
	 * @param call a call
	 * @return a name that is the same for all calls to a server; by default the same for
	 * all calls
	 */
	default String server(ScriptCall call) {
		return "";
	}

	/**
	 * Whether calls may go to a server at present. After a failover, no calls go to the
	 * former master.
	 * @param server a server as {@link #server(ScriptCall)} names it
	 * @return whether the server has any keys; by default {@code true}
	 */
	default boolean serves(String server) {
		return true;
	}

	/**
	 * Whether keys are distributed over slots.
	 * @return whether this is a Redis Cluster
	 */
	boolean isCluster();

	@Override
	void close();

	/**
	 * One call of a script, in the order that the script expects.
	 *
	 * @param keys the names of the keys
	 * @param arguments the operation and its arguments: for {@code buckets.lua}, a charge
	 * for each bucket
	 */
	record ScriptCall(List<byte[]> keys, List<byte[]> arguments) {

	}

	/**
	 * Receives pages of keys.
	 */
	@FunctionalInterface
	interface Pages {

		/** Returns whether further pages are needed. */
		boolean accept(List<byte[]> keys) throws StoreFailure;

	}

}
