package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Lets requests run the script, but not on servers that fail.
 */
final class ScriptRunner {

	private static final Log logger = LogFactory.getLog(ScriptRunner.class);

	private final ScriptClient client;

	private final BucketScript script;

	private final Breakers breakers;

	ScriptRunner(ScriptClient client, BucketScript script) {
		this.client = client;
		this.script = script;
		this.breakers = new Breakers(client::serves, client::reconnect);
	}

	/**
	 * Begins calls.
	 * @param calls the calls that it may come to
	 * @param timeout how long to wait for each of them; zero to wait for none
	 * @throws StoreFailure if one of the servers is not called at present
	 */
	ScriptSession open(List<ScriptCall> calls, Duration timeout) throws StoreFailure {
		TreeSet<String> servers = new TreeSet<>();
		calls.forEach((call) -> servers.add(this.client.server(call)));
		return new ScriptSession(this.client, this.script, this.breakers.permits(servers), timeout);
	}

	/** Sends the script by its text, whatever comes of it. */
	void warmUp(ScriptCall call, Deadline deadline) {
		// A thread of its own, since a client may block.
		FutureTask<List<Object>> start = new FutureTask<>(() -> this.client.send(this.script, call, true).get());
		Thread thread = new Thread(start, "tierlimit-redis-start");
		thread.setDaemon(true);
		thread.start();
		try {
			deadline.get(start);
		}
		catch (StoreFailure ex) {
			logger.debug("Redis can't be reached yet", ex);
		}
	}

	/** Finds keys, page by page. */
	void scan(String start, Deadline deadline, ScriptClient.Pages pages) throws StoreFailure {
		this.client.scan(start, deadline, pages);
	}

	/** The server that a call goes to. */
	String server(ScriptCall call) {
		return this.client.server(call);
	}

	boolean isCluster() {
		return this.client.isCluster();
	}

	/** The states of the circuit breakers, by their servers. */
	Map<String, String> breakers() {
		return this.breakers.states();
	}

	/** Whether every server that is needed is called at present. */
	boolean isWell() {
		return this.breakers.areClosed();
	}

}
