package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;

import io.tierlimit.store.StoreStatus.LocalShare;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * The share of every limit that this instance enforces while Redis is unavailable: one
 * divided by the largest number of instances that Redis has shown within the last
 * {@link Renewals#LIFE}.
 * <p>
 * One value in Redis contains all instances that share the buckets, its members. A
 * membership ends {@link Renewals#LIFE} after its last renewal, by the clock of Redis.
 * Until then, an instance that has crashed is still counted. After Redis has lost its
 * data, the last number is too small until all instances have renewed their memberships.
 * Until Redis has shown a number, the share is the whole limit.
 */
final class InstanceShare implements Renewals.Renewable {

	private static final Log logger = LogFactory.getLog(RedisBucketStore.class);

	/**
	 * More digits than any limit has, so that the rounding of a share does not change a
	 * limit. The share is rounded up: a third of 9 permits is 3.
	 */
	private static final int DIGITS = 30;

	private static final LocalShare UNKNOWN = new LocalShare(BigDecimal.ONE, null, null);

	private static final byte[] JOIN = bytes("join");

	private static final byte[] LEAVE = bytes("leave");

	private final ScriptSession calls;

	private final byte[] members;

	private final byte[] id = bytes(UUID.randomUUID().toString());

	private final LongSupplier nanoTime;

	/** The numbers that Redis has shown within the last life of a membership. */
	private final Deque<Shown> recent = new ArrayDeque<>();

	private volatile LocalShare current = UNKNOWN;

	/**
	 * Creates the share of an instance, whose membership begins with the first renewal.
	 * @param calls sends the calls of {@code members.lua}
	 * @param members the name of the members
	 * @param nanoTime a clock in nanoseconds
	 */
	InstanceShare(ScriptSession calls, byte[] members, LongSupplier nanoTime) {
		this.calls = calls;
		this.members = members;
		this.nanoTime = nanoTime;
	}

	/** Reads the script that Redis runs. */
	static RedisScript<?> script() {
		return ScriptFile.read("members.lua");
	}

	/** The share, without a call to Redis. */
	LocalShare current() {
		return this.current;
	}

	@Override
	public void renew() {
		try {
			int instances = largest(call(JOIN));
			this.current = new LocalShare(share(instances), instances, null);
		}
		catch (Throwable ex) { // any other exception would end the renewals
			recordFailure((ex instanceof StoreFailure failure) ? failure : StoreFailure.of(ex));
		}
	}

	/** Returns the number of members, at least 1. */
	private int call(byte[] operation) throws StoreFailure {
		ScriptCall call = new ScriptCall(List.of(this.members),
				List.of(operation, this.id, bytes(Long.toString(Renewals.LIFE.toMillis()))));
		List<Object> reply = this.calls.answer(this.calls.send(call));
		if (reply.size() != 1 || !(reply.get(0) instanceof Long number)) {
			throw new StoreFailure("Invalid reply of the script: " + reply, null);
		}
		return number.intValue();
	}

	private static byte[] bytes(String ascii) {
		return ascii.getBytes(StandardCharsets.US_ASCII);
	}

	/** Returns the largest recent number, including a number that Redis just showed. */
	private int largest(int instances) {
		long now = this.nanoTime.getAsLong();
		this.recent.removeIf((shown) -> now - shown.at() >= Renewals.LIFE.toNanos());
		this.recent.add(new Shown(instances, now));
		return this.recent.stream().mapToInt(Shown::instances).max().orElse(instances);
	}

	private static BigDecimal share(int instances) {
		return BigDecimal.ONE.divide(BigDecimal.valueOf(instances), DIGITS, RoundingMode.CEILING);
	}

	/**
	 * Keeps the share. Only the first of several consecutive failures is logged, before
	 * {@link #current()} shows it.
	 */
	private void recordFailure(StoreFailure failure) {
		LocalShare before = this.current;
		String problem = String.valueOf(failure.getMessage());
		if (before.problem() == null) {
			logger.warn(warning(before.instances(), problem));
		}
		this.current = new LocalShare(before.share(), before.instances(), problem);
	}

	private static String warning(@Nullable Integer instances, String problem) {
		if (instances == null) {
			return "The number of instances is unknown, because Redis has not shown it since startup (" + problem
					+ "). Until Redis shows it, this instance enforces 100% of each limit while Redis is unavailable. To lower "
					+ "this share, set tierlimit.redis.local-share to a percentage, such as 25% for 4 instances.";
		}
		return "The membership of this instance was not renewed in Redis (" + problem
				+ "). While Redis is unavailable, this instance enforces 1/" + instances
				+ " of each limit, because Redis last showed " + instances
				+ ((instances == 1) ? " instance." : " instances.");
	}

	@Override
	public void end() {
		// A number may be much too old after the application was restored.
		this.recent.clear();
		if (this.current.instances() != null) {
			this.current = UNKNOWN;
		}
		try {
			call(LEAVE);
		}
		catch (Throwable ex) {
			logger.debug("The membership of this instance was not removed from Redis, and will end there", ex);
		}
	}

	/**
	 * A number of instances, and the time when Redis showed it.
	 */
	private record Shown(int instances, long at) {

	}

}
