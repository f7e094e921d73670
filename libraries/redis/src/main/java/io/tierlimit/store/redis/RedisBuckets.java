package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;

import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.tierlimit.limit.Ban;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * The buckets in Redis. Runs the script for each operation, except on servers whose
 * circuit breaker is open. Every operation fails if Redis cannot be reached.
 *
 * @param client runs the script
 * @param bucketScript the script
 * @param calls creates the calls of the script
 * @param breakers the circuit breakers of the servers
 * @param nanoTime a clock in nanoseconds
 */
record RedisBuckets(ScriptClient client, RedisScript<?> bucketScript, ScriptCallFactory calls, CircuitBreakers breakers,
		LongSupplier nanoTime) {

	private static final Log logger = LogFactory.getLog(RedisBuckets.class);

	private static final int PROBES = 256;

	/** The time that the next page of a search may take. */
	private static final Duration PAGE_TIME = Duration.ofSeconds(1);

	RedisBuckets(ScriptClient client, RedisScript<?> script, RedisKeys names, CircuitBreakerConfig breakers,
			LongSupplier nanoTime) {
		this(client, script, new ScriptCallFactory(names, client::isCluster),
				new CircuitBreakers(client::serves, client::reconnect, breakers), nanoTime);
	}

	/** Reads the script that Redis runs. */
	static RedisScript<?> script() {
		return ScriptFile.read("buckets.lua");
	}

	/**
	 * Connects and sends the source of the script, so that the first request does not
	 * wait for this. Failures are ignored.
	 */
	void warmUp(Deadline deadline) {
		// A separate thread, because a client may block.
		FutureTask<List<Object>> start = new FutureTask<>(
				() -> this.client.send(this.bucketScript, this.calls.withoutBuckets(), true).get());
		Thread thread = new Thread(() -> {
			start.run();
			ShardTags.prepare();
		}, "tierlimit-redis-start");
		thread.setDaemon(true);
		thread.start();
		try {
			deadline.get(start);
		}
		catch (StoreFailure ex) {
			logger.debug("Redis cannot be reached yet", ex);
		}
	}

	/**
	 * Opens a session.
	 * @param calls the calls that the session may make
	 * @param timeout the time to wait for each reply; zero to wait for none
	 * @throws StoreFailure if one of the servers is not called at present
	 */
	ScriptSession open(List<ScriptCall> calls, Duration timeout) throws StoreFailure {
		return new ScriptSession(this.client, this.bucketScript, this.breakers.permits(servers(calls)), timeout,
				this.nanoTime);
	}

	private Collection<String> servers(List<ScriptCall> calls) {
		if (calls.size() == 1) {
			return List.of(this.client.server(calls.get(0)));
		}
		TreeSet<String> servers = new TreeSet<>();
		calls.forEach((call) -> servers.add(this.client.server(call)));
		return servers;
	}

	/** Reads buckets, in the order of the keys. */
	List<BucketSnapshot> peek(List<BucketKey> keys, Duration timeout) throws StoreFailure {
		List<ScriptCall> peeks = this.calls.of(ScriptCallFactory.PEEK, keys);
		try (ScriptSession session = open(peeks, timeout)) {
			return session.peek(peeks);
		}
	}

	/** Resets all buckets of a rule that are found before the deadline. */
	void resetAll(String rule, Deadline deadline) throws StoreFailure {
		this.client.scan(this.calls.names().startOf(rule), deadline, (found) -> {
			// In a large Redis, most pages have no key of the rule.
			if (!found.isEmpty()) {
				run(this.calls.ofNames(ScriptCallFactory.RESET, found), deadline.left());
			}
			return true;
		});
	}

	/** The bans of a rule that are found before the deadline, up to a maximum number. */
	Map<BucketKey, Ban> bans(String rule, int most, Deadline deadline) throws StoreFailure {
		Map<BucketKey, Ban> bans = new HashMap<>();
		this.client.scan(this.calls.names().startOf(rule), deadline, (found) -> {
			if (!found.isEmpty()) {
				addBans(rule, found, deadline, bans, most);
			}
			return bans.size() < most && deadline.left().compareTo(PAGE_TIME) > 0;
		});
		return bans;
	}

	private void addBans(String rule, List<byte[]> found, Deadline deadline, Map<BucketKey, Ban> bans, int most)
			throws StoreFailure {
		List<ScriptCall> peeks = this.calls.ofNames(ScriptCallFactory.PEEK, found);
		try (ScriptSession session = open(peeks, deadline.left())) {
			List<BucketSnapshot> buckets = session.peek(peeks);
			for (int i = 0; i < buckets.size() && bans.size() < most; i++) {
				Ban ban = buckets.get(i).ban();
				if (ban != null) {
					bans.put(this.calls.names().parse(rule, found.get(i)), ban);
				}
			}
		}
	}

	/** Calls that do not change anything, one for every server that has buckets. */
	Collection<ScriptCall> probes() {
		Map<String, ScriptCall> probes = new TreeMap<>();
		// A server has thousands of slots: with so many keys, each server has at least
		// one.
		for (int i = 0; i < PROBES; i++) {
			// No rule's id starts with a parenthesis.
			BucketKey key = new BucketKey("(probe)", Integer.toString(i));
			ScriptCall probe = this.calls.of(ScriptCallFactory.PEEK, List.of(key)).get(0);
			probes.putIfAbsent(this.client.server(probe), probe);
			if (!this.client.isCluster()) {
				break;
			}
		}
		return probes.values();
	}

	/**
	 * Runs calls. A call whose turn comes after the timeout is not sent. With a timeout
	 * of zero, all calls are sent and reported as failed, because no reply is awaited.
	 * @return the buckets as Redis found them, in the order of the calls
	 */
	List<BucketSnapshot> run(List<ScriptCall> all, Duration timeout) throws StoreFailure {
		List<BucketSnapshot> buckets = new ArrayList<>();
		try (ScriptSession session = open(all, timeout)) {
			StoreFailure failure = session.runAll(all, (reply) -> buckets.addAll(reply.buckets()));
			if (failure != null) {
				throw failure;
			}
		}
		return buckets;
	}

}
