package io.tierlimit.store.redis;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.Receipt;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Creates the calls of the script.
 * <p>
 * All keys of one call must be in one slot. On a Redis Cluster, each bucket therefore has
 * its own call, except when permits of several buckets in a slot are acquired together.
 *
 * @param names names the buckets
 * @param clustered whether keys are distributed over slots
 */
record ScriptCallFactory(RedisKeys names, BooleanSupplier clustered) {

	private static final byte[] ACQUIRE = bytes("acquire");

	static final byte[] PEEK = bytes("peek");

	private static final byte[] SETTLE = bytes("settle");

	private static final byte[] RESTORE = bytes("restore");

	static final byte[] RESET = bytes("reset");

	static final byte[] REFILL = bytes("refill");

	private static final byte[] RENEW = bytes("renew");

	/**
	 * The permits of all buckets in one call that renews, because the call reads all
	 * holders of these buckets, and blocks other calls.
	 */
	private static final int MAX_RENEWED = 1000;

	private static final int RENEWED_SIZE = 15;

	private static final int PLAIN_SIZE = 23;

	private static final int CHARGE_SIZE = 59;

	private static final int BAN_SIZE = 26;

	/**
	 * A cost above every capacity and debt is never consumed, so its exact amount is not
	 * needed.
	 */
	private static final long MAX_PACKED = 2 * Rate.MAX_PERMITS + 1;

	/** Replaces the receipt of a charge that was not acquired. */
	private static final Receipt NO_RECEIPT = new Receipt(Long.MIN_VALUE, 0);

	/** A call without buckets. */
	ScriptCall withoutBuckets() {
		return new ScriptCall(List.of(), List.of(PEEK));
	}

	/**
	 * Acquires from all these buckets or from none.
	 * @param counted whether rejections are counted for bans
	 */
	List<SlotGroup> acquire(List<ChargeAttempt> attempts, boolean counted) {
		if (!this.clustered.getAsBoolean()) {
			return List.of(group(attempts, counted));
		}
		Map<Integer, List<ChargeAttempt>> slots = attempts.stream()
			.collect(Collectors.groupingBy((attempt) -> ClusterSlotHashUtil.calculateSlot(name(attempt)), TreeMap::new,
					Collectors.toList()));
		return slots.values().stream().map((slot) -> group(slot, counted)).toList();
	}

	private byte[] name(ChargeAttempt attempt) {
		return this.names.of(attempt.charge().key());
	}

	/**
	 * Acquires from each bucket of these groups by its own call, in an order that all
	 * requests share.
	 * @param counted whether rejections are counted for bans
	 */
	List<SlotGroup> acquireOneByOne(List<SlotGroup> groups, boolean counted) {
		return groups.stream()
			.flatMap((group) -> group.attempts().stream().sorted(Comparator.comparing(this::name, Arrays::compare)))
			.map((attempt) -> group(List.of(attempt), counted))
			.toList();
	}

	/**
	 * Whether a call acquires the permits of one request, and can be combined with the
	 * calls of other requests.
	 */
	static boolean isCombinable(ScriptCall call) {
		return call.arguments().size() == 2 && call.arguments().get(0) == ACQUIRE;
	}

	/**
	 * Combines calls, which must be combinable and have their keys in one slot.
	 */
	static ScriptCall combine(List<ScriptCall> calls) {
		if (calls.size() == 1) {
			return calls.get(0);
		}
		List<byte[]> keys = new ArrayList<>();
		List<byte[]> arguments = new ArrayList<>(calls.size() + 1);
		arguments.add(ACQUIRE);
		for (ScriptCall call : calls) {
			keys.addAll(call.keys());
			arguments.add(call.arguments().get(1));
		}
		return new ScriptCall(keys, arguments);
	}

	private SlotGroup group(List<ChargeAttempt> attempts, boolean counted) {
		List<Charge> charges = attempts.stream().map(ChargeAttempt::charge).toList();
		ScriptCall call = new ScriptCall(names(charges), List.of(ACQUIRE, packed(charges, counted)));
		return new SlotGroup(attempts, call, counted);
	}

	private List<byte[]> names(List<Charge> charges) {
		return charges.stream().map((charge) -> this.names.of(charge.key())).toList();
	}

	List<ScriptCall> release(List<Charge> charges) {
		return settle(charges.stream().map(Settlement::refund).toList()).stream().map(SettleCall::call).toList();
	}

	/**
	 * Settles charges. On a Redis Cluster, each bucket has its own call, because parallel
	 * calls have no order.
	 */
	List<SettleCall> settle(List<Settlement> settlements) {
		Map<BucketKey, List<Integer>> calls = new LinkedHashMap<>();
		BucketKey all = settlements.get(0).charge().key();
		for (int i = 0; i < settlements.size(); i++) {
			BucketKey key = this.clustered.getAsBoolean() ? settlements.get(i).charge().key() : all;
			calls.computeIfAbsent(key, (absent) -> new ArrayList<>()).add(i);
		}
		return calls.values()
			.stream()
			.map((positions) -> new SettleCall(positions,
					settlementOf(positions.stream().map(settlements::get).toList())))
			.toList();
	}

	private ScriptCall settlementOf(List<Settlement> settlements) {
		return new ScriptCall(names(settlements.stream().map(Settlement::charge).toList()),
				List.of(SETTLE, packed(settlements)));
	}

	/**
	 * Renews holders. On a Redis Cluster, each slot has its own call.
	 * @param holders the holders by bucket
	 */
	List<RenewCall> renewals(Map<BucketKey, Renewed> holders) {
		Map<Long, List<BucketKey>> calls = new TreeMap<>();
		long permits = 0;
		for (Map.Entry<BucketKey, Renewed> each : holders.entrySet()) {
			permits += each.getValue().capacity();
			long call = this.clustered.getAsBoolean() ? ClusterSlotHashUtil.calculateSlot(this.names.of(each.getKey()))
					: permits / MAX_RENEWED;
			calls.computeIfAbsent(call, (number) -> new ArrayList<>()).add(each.getKey());
		}
		return calls.values().stream().map((keys) -> renewal(keys, holders)).toList();
	}

	/** Renews the holders of some buckets in one slot. */
	RenewCall renewal(List<BucketKey> keys, Map<BucketKey, Renewed> holders) {
		List<byte[]> arguments = new ArrayList<>();
		arguments.add(RENEW);
		keys.forEach((key) -> arguments.add(Objects.requireNonNull(holders.get(key)).holders().toByteArray()));
		return new RenewCall(keys, new ScriptCall(keys.stream().map(this.names::of).toList(), arguments));
	}

	/** Restores the state before a charge, or releases its permits. */
	ScriptCall undo(Charge charge, BucketSnapshot before) {
		if (Holding.isHeld(charge)) {
			return settlementOf(List.of(Settlement.refund(charge)));
		}
		return new ScriptCall(names(List.of(charge)),
				List.of(RESTORE, packed(List.of(Settlement.refund(before.acquired(charge)))),
						before.storedAfter(charge), before.stored()));
	}

	/** Applies an operation without arguments to buckets. */
	List<ScriptCall> of(byte[] operation, List<BucketKey> keys) {
		return ofNames(operation, keys.stream().map(this.names::of).toList());
	}

	/** Creates one call for all keys or, on a Redis Cluster, one call for each. */
	List<ScriptCall> ofNames(byte[] operation, List<byte[]> keys) {
		List<byte[]> arguments = List.of(operation);
		return this.clustered.getAsBoolean()
				? keys.stream().map((key) -> new ScriptCall(List.of(key), arguments)).toList()
				: List.of(new ScriptCall(keys, arguments));
	}

	/** Packs settlements, which do not depend on bans. */
	private static byte[] packed(List<Settlement> settlements) {
		ByteBuffer bytes = ByteBuffer.allocate(1 + settlements.size() * CHARGE_SIZE).put((byte) 0);
		for (Settlement settlement : settlements) {
			long cost = settlement.charge().cost();
			pack(settlement.charge(), settlement.reserved(), Math.min(settlement.maxDebt(), Rate.MAX_PERMITS),
					settlement.consumes() ? cost + Math.min(settlement.actual() - cost, MAX_PACKED)
							: settlement.actual(),
					bytes);
		}
		return bytes.array();
	}

	/**
	 * Packs charges. The number of bytes depends on the largest possible numbers; the
	 * most significant byte is first.
	 */
	private static byte[] packed(List<Charge> charges, boolean counted) {
		boolean plain = true;
		boolean bans = false;
		for (Charge charge : charges) {
			plain &= isPlain(charge);
			bans |= charge.options().ban() != null;
		}
		int size = (plain ? PLAIN_SIZE : CHARGE_SIZE) + (bans ? BAN_SIZE : 0);
		ByteBuffer bytes = ByteBuffer.allocate(1 + charges.size() * size)
			.put((byte) ((plain ? 1 : 0) + (bans ? 2 : 0)));
		for (Charge charge : charges) {
			if (plain) {
				packPlain(charge, bytes);
			}
			else {
				Overdraft overdraft = charge.options().overdraft();
				pack(charge, !charge.shadow(), overdraft.permits(), overdraft.ticks(), bytes);
			}
			if (bans) {
				pack(charge.options(), counted, bytes);
			}
		}
		return bytes.array();
	}

	private static boolean isPlain(Charge charge) {
		return charge.limit() instanceof TokenBucket && !charge.shadow() && charge.receipt() == null
				&& charge.options().overdraft().permits() == 0;
	}

	private static void packPlain(Charge charge, ByteBuffer to) {
		Limit limit = charge.limit();
		put(limit.rate().permits(), 5, to);
		put(limit.algorithm().holdsPermits() ? Holding.lifeTicks(limit) : limit.rate().periodTicks(), 7, to);
		put(limit.capacity(), 5, to);
		put(Math.min(charge.cost(), MAX_PACKED), 6, to);
	}

	/**
	 * Packs a charge that is not plain.
	 * @param flag whether the charge is enforced, or whether the bucket of a settlement
	 * may owe permits to reservations
	 * @param permits the permits of the overdraft, or the debt of a settlement
	 * @param number the ticks of the overdraft, or the actual cost of a settlement
	 */
	private static void pack(Charge charge, boolean flag, long permits, long number, ByteBuffer to) {
		Limit limit = charge.limit();
		Receipt receipt = (charge.receipt() != null) ? charge.receipt() : NO_RECEIPT;
		to.put(limit.algorithm().mark());
		packPlain(charge, to);
		put(limit.phase(charge.key().windowSeed()), 7, to);
		to.put((byte) (flag ? 1 : 0));
		put(permits, 5, to);
		put(number, 7, to);
		to.putLong(receipt.at());
		put(receipt.charged(), 7, to);
	}

	private static void pack(ChargeOptions options, boolean counted, ByteBuffer to) {
		BanPolicy ban = options.ban();
		put((ban != null) ? ban.after() : 0, 5, to);
		put((ban != null && counted && options.counted()) ? ban.within() : 0, 7, to);
		put((ban != null) ? ban.duration() : 0, 7, to);
		put((ban != null) ? ban.max() : 0, 7, to);
	}

	private static void put(long number, int size, ByteBuffer to) {
		for (int shift = Byte.SIZE * (size - 1); shift >= 0; shift -= Byte.SIZE) {
			to.put((byte) (number >>> shift));
		}
	}

	private static byte[] bytes(String ascii) {
		return ascii.getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * The charges of a request that are decided by one call of the script.
	 *
	 * @param attempts the attempts to acquire them
	 * @param call acquires the charges from their buckets
	 * @param counted whether the rejections of the call are counted for bans
	 */
	record SlotGroup(List<ChargeAttempt> attempts, ScriptCall call, boolean counted) {

	}

	/**
	 * A call that settles charges.
	 *
	 * @param positions the positions of the settlements in the list of all
	 * @param call the call
	 */
	record SettleCall(List<Integer> positions, ScriptCall call) {

	}

	/**
	 * A call that renews the holders of buckets in one slot.
	 *
	 * @param keys the buckets
	 * @param call the call
	 */
	record RenewCall(List<BucketKey> keys, ScriptCall call) {

	}

	/**
	 * The holders of one instance in a bucket.
	 *
	 * @param holders the holders, packed for the script
	 * @param capacity the permits of the bucket, which bound the holders of all instances
	 */
	record Renewed(ByteArrayOutputStream holders, long capacity) {

		Renewed(long capacity) {
			this(new ByteArrayOutputStream(), capacity);
		}

		/**
		 * Adds a holder.
		 * @param id the id of the holder
		 * @param life the ticks until its end
		 */
		void add(long id, long life) {
			ByteBuffer bytes = ByteBuffer.allocate(RENEWED_SIZE).putLong(id);
			put(life, RENEWED_SIZE - Long.BYTES, bytes);
			this.holders.writeBytes(bytes.array());
		}

	}

}
