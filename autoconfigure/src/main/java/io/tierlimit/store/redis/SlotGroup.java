package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Those of a request's charges that are decided by one call of the script.
 *
 * @param places where they stand among the request's charges
 * @param call takes from their buckets
 */
record SlotGroup(List<Integer> places, ScriptCall call) {

	/** One group of all. */
	static List<List<Integer>> together(int size) {
		return List.of(IntStream.range(0, size).boxed().toList());
	}

	/** Groups by the slot that a Redis Cluster keeps a key in, in the order of slots. */
	static List<List<Integer>> bySlot(List<byte[]> keys) {
		TreeMap<Integer, List<Integer>> slots = new TreeMap<>();
		for (int i = 0; i < keys.size(); i++) {
			slots.computeIfAbsent(ClusterSlotHashUtil.calculateSlot(keys.get(i)), (slot) -> new ArrayList<>()).add(i);
		}
		return List.copyOf(slots.values());
	}

}
