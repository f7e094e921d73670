package io.tierlimit.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.Receipt;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Creates the calls of the script.
 * <p>
 * All keys of one call must be in one slot. So on a Redis Cluster each bucket has its own
 * call, except where permits of several buckets are acquired together.
 */
final class ScriptCallFactory {

	private static final byte[] ACQUIRE = bytes("acquire");

	private static final byte[] PEEK = bytes("peek");

	private static final byte[] REFUND = bytes("refund");

	private static final byte[] RESTORE = bytes("restore");

	private static final byte[] RESET = bytes("reset");

	private static final int CHARGE_SIZE = 2 + 9 * Long.BYTES;

	/** Replaces the moment of a missing receipt. */
	private static final long NO_RECEIPT = Long.MIN_VALUE;

	private final RedisKeys names;

	private final BooleanSupplier clustered;

	/**
	 * Creates a factory.
	 * @param names names the buckets
	 * @param clustered whether keys are distributed over slots
	 */
	ScriptCallFactory(RedisKeys names, BooleanSupplier clustered) {
		this.names = names;
		this.clustered = clustered;
	}

	/** A call without buckets. */
	ScriptCall withoutBuckets() {
		return new ScriptCall(List.of(), List.of(PEEK));
	}

	/** Acquires from all these buckets or from none. */
	List<SlotGroup> acquire(List<Charge> charges) {
		List<byte[]> keys = charges.stream().map((charge) -> this.names.of(charge.key())).toList();
		List<List<Integer>> groups = this.clustered.getAsBoolean() ? bySlot(keys) : oneGroup(keys.size());
		return groups.stream().map((indexes) -> group(indexes, keys, charges)).toList();
	}

	/** A group of all charges. */
	private static List<List<Integer>> oneGroup(int size) {
		return List.of(IntStream.range(0, size).boxed().toList());
	}

	/** Groups by the slot of the key in a Redis Cluster, in the order of slots. */
	private static List<List<Integer>> bySlot(List<byte[]> keys) {
		TreeMap<Integer, List<Integer>> slots = new TreeMap<>();
		for (int i = 0; i < keys.size(); i++) {
			slots.computeIfAbsent(ClusterSlotHashUtil.calculateSlot(keys.get(i)), (slot) -> new ArrayList<>()).add(i);
		}
		return List.copyOf(slots.values());
	}

	/**
	 * Acquires from each bucket of these groups by its own call, in an order that all
	 * requests share.
	 */
	List<SlotGroup> acquireOneByOne(List<SlotGroup> groups, List<Charge> charges) {
		List<byte[]> keys = charges.stream().map((charge) -> this.names.of(charge.key())).toList();
		return groups.stream()
			.flatMap((group) -> group.indexes().stream().sorted(Comparator.comparing(keys::get, Arrays::compare)))
			.map((index) -> group(List.of(index), keys, charges))
			.toList();
	}

	private static SlotGroup group(List<Integer> indexes, List<byte[]> keys, List<Charge> charges) {
		List<byte[]> groupKeys = indexes.stream().map(keys::get).toList();
		return new SlotGroup(indexes, chargeCall(ACQUIRE, groupKeys, indexes.stream().map(charges::get).toList()));
	}

	List<ScriptCall> refund(List<Charge> charges) {
		if (this.clustered.getAsBoolean()) {
			return charges.stream().map((charge) -> refundOf(List.of(charge))).toList();
		}
		return List.of(refundOf(charges));
	}

	private ScriptCall refundOf(List<Charge> charges) {
		return chargeCall(REFUND, charges.stream().map((charge) -> this.names.of(charge.key())).toList(), charges);
	}

	/** Restores the state before a charge. */
	ScriptCall restore(Charge charge, BucketSnapshot before) {
		ScriptCall call = chargeCall(RESTORE, List.of(this.names.of(charge.key())), List.of(before.acquired(charge)));
		call.arguments().add(before.storedAfter(charge));
		call.arguments().add(before.stored());
		return call;
	}

	List<ScriptCall> peek(List<BucketKey> keys) {
		return keyCalls(PEEK, keys.stream().map(this.names::of).toList());
	}

	List<ScriptCall> reset(BucketKey key) {
		return resetNamed(List.of(this.names.of(key)));
	}

	List<ScriptCall> resetNamed(List<byte[]> keys) {
		return keyCalls(RESET, keys);
	}

	private List<ScriptCall> keyCalls(byte[] operation, List<byte[]> keys) {
		if (this.clustered.getAsBoolean()) {
			return keys.stream().map((key) -> new ScriptCall(List.of(key), List.of(operation))).toList();
		}
		return List.of(new ScriptCall(keys, List.of(operation)));
	}

	private static ScriptCall chargeCall(byte[] operation, List<byte[]> keys, List<Charge> charges) {
		List<byte[]> arguments = new ArrayList<>(3 + charges.size());
		arguments.add(operation);
		charges.forEach((charge) -> arguments.add(packed(charge)));
		return new ScriptCall(keys, arguments);
	}

	private static byte[] packed(Charge charge) {
		Limit limit = charge.limit();
		Receipt receipt = charge.receipt();
		return ByteBuffer.allocate(CHARGE_SIZE)
			.put(limit.algorithm().mark())
			.putLong(limit.rate().permits())
			.putLong(limit.rate().periodTicks())
			.putLong(limit.capacity())
			.putLong(limit.phase(charge.key().windowSeed()))
			// A cost above every capacity and overdraft is rejected, whatever its amount.
			.putLong(Math.min(charge.cost(), 2 * Rate.MAX_PERMITS + 1))
			.put((byte) (charge.shadow() ? 0 : 1))
			.putLong(charge.options().overdraft().permits())
			.putLong(charge.options().overdraft().ticks())
			.putLong((receipt != null) ? receipt.at() : NO_RECEIPT)
			.putLong((receipt != null) ? receipt.charged() : 0)
			.array();
	}

	private static byte[] bytes(String ascii) {
		return ascii.getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * The charges of a request that are decided by one call of the script.
	 *
	 * @param indexes their indexes among the request's charges
	 * @param call acquires from their buckets
	 */
	record SlotGroup(List<Integer> indexes, ScriptCall call) {

	}

}
