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
 * Makes the calls of the script.
 * <p>
 * The keys of one call have to be in one slot. So on a Redis Cluster each bucket has a
 * call of its own, except where permits of several are acquired together.
 */
final class ScriptCallFactory {

	private static final byte[] ACQUIRE = bytes("acquire");

	private static final byte[] PEEK = bytes("peek");

	private static final byte[] REFUND = bytes("refund");

	private static final byte[] UNDO = bytes("undo");

	private static final byte[] RESET = bytes("reset");

	private static final int CHARGE_SIZE = 2 + 9 * Long.BYTES;

	/** In place of a receipt's moment. */
	private static final long NO_RECEIPT = Long.MIN_VALUE;

	private final RedisKeys names;

	private final BooleanSupplier spread;

	/**
	 * Creates a factory.
	 * @param names names the buckets
	 * @param spread whether keys are spread over slots
	 */
	ScriptCallFactory(RedisKeys names, BooleanSupplier spread) {
		this.names = names;
		this.spread = spread;
	}

	/** A call without buckets. */
	ScriptCall nothing() {
		return new ScriptCall(List.of(), List.of(PEEK));
	}

	/** Takes from all these buckets or from none. */
	List<SlotGroup> acquire(List<Charge> charges) {
		List<byte[]> keys = charges.stream().map((charge) -> this.names.of(charge.key())).toList();
		List<List<Integer>> groups = this.spread.getAsBoolean() ? bySlot(keys) : together(keys.size());
		return groups.stream().map((places) -> group(places, keys, charges)).toList();
	}

	/** One group of all. */
	private static List<List<Integer>> together(int size) {
		return List.of(IntStream.range(0, size).boxed().toList());
	}

	/** Groups by the slot that a Redis Cluster keeps a key in, in the order of slots. */
	private static List<List<Integer>> bySlot(List<byte[]> keys) {
		TreeMap<Integer, List<Integer>> slots = new TreeMap<>();
		for (int i = 0; i < keys.size(); i++) {
			slots.computeIfAbsent(ClusterSlotHashUtil.calculateSlot(keys.get(i)), (slot) -> new ArrayList<>()).add(i);
		}
		return List.copyOf(slots.values());
	}

	/** Takes from each of the buckets of these groups by itself, in an order for all. */
	List<SlotGroup> acquireOneByOne(List<SlotGroup> groups, List<Charge> charges) {
		List<byte[]> keys = charges.stream().map((charge) -> this.names.of(charge.key())).toList();
		return groups.stream()
			.flatMap((group) -> group.places().stream().sorted(Comparator.comparing(keys::get, Arrays::compare)))
			.map((place) -> group(List.of(place), keys, charges))
			.toList();
	}

	private static SlotGroup group(List<Integer> places, List<byte[]> keys, List<Charge> charges) {
		List<byte[]> own = places.stream().map(keys::get).toList();
		return new SlotGroup(places, onCharges(ACQUIRE, own, places.stream().map(charges::get).toList()));
	}

	List<ScriptCall> refund(List<Charge> charges) {
		if (this.spread.getAsBoolean()) {
			return charges.stream().map((charge) -> refundOf(List.of(charge))).toList();
		}
		return List.of(refundOf(charges));
	}

	private ScriptCall refundOf(List<Charge> charges) {
		return onCharges(REFUND, charges.stream().map((charge) -> this.names.of(charge.key())).toList(), charges);
	}

	/** Makes it as if a charge had not been taken. */
	ScriptCall undo(Charge charge, BucketSnapshot before) {
		ScriptCall call = onCharges(UNDO, List.of(this.names.of(charge.key())), List.of(before.acquired(charge)));
		call.arguments().add(before.storedAfter(charge));
		call.arguments().add(before.stored());
		return call;
	}

	List<ScriptCall> peek(List<BucketKey> keys) {
		return onKeys(PEEK, keys.stream().map(this.names::of).toList());
	}

	List<ScriptCall> reset(BucketKey key) {
		return resetNamed(List.of(this.names.of(key)));
	}

	List<ScriptCall> resetNamed(List<byte[]> keys) {
		return onKeys(RESET, keys);
	}

	private List<ScriptCall> onKeys(byte[] operation, List<byte[]> keys) {
		if (this.spread.getAsBoolean()) {
			return keys.stream().map((key) -> new ScriptCall(List.of(key), List.of(operation))).toList();
		}
		return List.of(new ScriptCall(keys, List.of(operation)));
	}

	private static ScriptCall onCharges(byte[] operation, List<byte[]> keys, List<Charge> charges) {
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
			// What is beyond every capacity and overdraft is rejected whatever it is.
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
	 * Those of a request's charges that are decided by one call of the script.
	 *
	 * @param places where they stand among the request's charges
	 * @param call takes from their buckets
	 */
	record SlotGroup(List<Integer> places, ScriptCall call) {

	}

}
