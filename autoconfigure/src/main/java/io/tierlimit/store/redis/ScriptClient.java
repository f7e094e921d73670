package io.tierlimit.store.redis;

import java.util.List;
import java.util.concurrent.Future;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs the script on Redis.
 */
interface ScriptClient extends AutoCloseable {

	/**
	 * Sends the script's digest, or its text. Whatever goes wrong is told by the future.
	 * @param script the script
	 * @param call what it is asked; all keys in one slot
	 * @param byText whether to send the text, which Redis then knows by its digest
	 * @return the answer to come: integers as {@code Long}, texts as bytes
	 */
	Future<List<Object>> send(RedisScript<?> script, ScriptCall call, boolean byText);

	/**
	 * Sends the script's digest for nobody who waits for the answer: returns at once, and
	 * whatever goes wrong is not reported. By default as {@link #send} does, which suits
	 * a client that does not block.
	 * @param script the script
	 * @param call what it is asked; all keys in one slot
	 * @return whether it is sent; {@code false} if too many such calls are under way
	 */
	default boolean sendUnawaited(RedisScript<?> script, ScriptCall call) {
		Future<List<Object>> unused = send(script, call, false);
		return true;
	}

	/**
	 * Finds keys, page by page.
	 * @param start what the keys begin with: none of the special characters of patterns
	 * @param deadline until when to search
	 * @param pages are given what was found; a key may come twice
	 * @throws StoreFailure if not all were found, or a page says so
	 */
	void scan(String start, Deadline deadline, Pages pages) throws StoreFailure;

	/**
	 * Gives up a connection on which a server does not answer, and makes another one.
	 */
	void reconnect();

	/**
	 * Names the server that a call goes to.
	 * @param call a call
	 * @return any name that is the same for calls to the same server
	 */
	String server(ScriptCall call);

	/**
	 * Whether calls may go to a server at present. Where another one has taken over, none
	 * does any more.
	 * @param server a server as {@link #server(ScriptCall)} names it
	 * @return whether it has any keys
	 */
	boolean serves(String server);

	/**
	 * Whether keys are spread over slots.
	 * @return whether this is a Redis Cluster
	 */
	boolean isCluster();

	@Override
	void close();

	/**
	 * One call of the script, in the order that {@code buckets.lua} expects.
	 *
	 * @param keys the names of buckets
	 * @param arguments the operation, and a charge for each bucket
	 */
	record ScriptCall(List<byte[]> keys, List<byte[]> arguments) {

	}

	/**
	 * Is given what was found.
	 */
	@FunctionalInterface
	interface Pages {

		void accept(List<byte[]> keys) throws StoreFailure;

	}

}
