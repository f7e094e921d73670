package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

import io.tierlimit.store.redis.ScriptClient.ScriptCall;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * The membership of this instance among the instances that share the buckets. One value
 * in Redis contains all members. A membership ends {@link Renewals#LIFE} after its last
 * renewal, by the clock of Redis. Until then, an instance that has crashed is still
 * counted.
 */
final class Membership {

	private static final byte[] JOIN = bytes("join");

	private static final byte[] LEAVE = bytes("leave");

	private final BackgroundCalls calls;

	private final byte[] key;

	private final byte[] id = bytes(UUID.randomUUID().toString());

	/**
	 * Creates a membership, which begins with the first renewal.
	 * @param calls runs {@code members.lua}
	 * @param key the name of the members
	 */
	Membership(BackgroundCalls calls, byte[] key) {
		this.calls = calls;
		this.key = key;
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
				List.of(operation, this.id, bytes(Long.toString(Renewals.LIFE.toMillis()))));
		List<Object> reply = this.calls.run(call);
		if (reply.size() != 1 || !(reply.get(0) instanceof Long members)) {
			throw new StoreFailure("Invalid reply of the script: " + reply, null);
		}
		return members.intValue();
	}

	private static byte[] bytes(String ascii) {
		return ascii.getBytes(StandardCharsets.US_ASCII);
	}

}
