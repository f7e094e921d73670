package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

import io.tierlimit.store.redis.ScriptClient.ScriptCall;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * The membership of this instance among the instances that share the buckets. One value
 * in Redis contains all members. A membership ends {@link #LIFE} after its last renewal,
 * by the clock of Redis. Until then, an instance that has crashed is still counted.
 */
final class Membership {

	/**
	 * The time from a renewal to the end of a membership: three {@link Renewals#INTERVAL
	 * intervals}.
	 */
	static final Duration LIFE = Renewals.INTERVAL.multipliedBy(3);

	/**
	 * The time that a call waits for a reply. It is longer than the timeout of requests,
	 * because no request waits for this call, and a pause of this instance must not be
	 * treated as a failure.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final byte[] JOIN = bytes("join");

	private static final byte[] LEAVE = bytes("leave");

	private final ScriptClient client;

	private final RedisScript<?> script;

	private final byte[] key;

	private final byte[] id = bytes(UUID.randomUUID().toString());

	private final LongSupplier nanoTime;

	/**
	 * Creates a membership, which begins with the first renewal.
	 * @param client runs the script
	 * @param script {@code members.lua}
	 * @param key the name of the members
	 * @param nanoTime a clock in nanoseconds
	 */
	Membership(ScriptClient client, RedisScript<?> script, byte[] key, LongSupplier nanoTime) {
		this.client = client;
		this.script = script;
		this.key = key;
		this.nanoTime = nanoTime;
	}

	/** Reads the script that Redis runs. */
	static RedisScript<?> script() {
		return ScriptFile.read("members.lua");
	}

	/**
	 * Begins or renews the membership.
	 * @return the number of members, at least 1
	 */
	int renew() throws StoreFailure {
		return call(JOIN);
	}

	/** Ends the membership. */
	void end() throws StoreFailure {
		call(LEAVE);
	}

	private int call(byte[] operation) throws StoreFailure {
		ScriptCall call = new ScriptCall(List.of(this.key),
				List.of(operation, this.id, bytes(Long.toString(LIFE.toMillis()))));
		List<Object> reply = reply(call);
		if (reply.size() != 1 || !(reply.get(0) instanceof Long members)) {
			throw new StoreFailure("Invalid reply of the script: " + reply, null);
		}
		return members.intValue();
	}

	private List<Object> reply(ScriptCall call) throws StoreFailure {
		try {
			return send(call, false);
		}
		catch (StoreFailure.ScriptUnknown ex) {
			return send(call, true);
		}
	}

	private List<Object> send(ScriptCall call, boolean byText) throws StoreFailure {
		Future<List<Object>> reply = this.client.send(this.script, call, byText);
		return Deadline.in(TIMEOUT, this.nanoTime).get(reply);
	}

	private static byte[] bytes(String ascii) {
		return ascii.getBytes(StandardCharsets.US_ASCII);
	}

}
