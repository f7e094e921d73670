package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;

import io.tierlimit.store.BucketKey;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Hash tags that distribute the shards of a bucket evenly over the slots of a Redis
 * Cluster. A Cluster usually assigns an equal range of slots to each server, so the
 * shards are also distributed evenly over the servers.
 */
final class ShardTags {

	/** One tag for every sixteenth slot. */
	private static final int STEP = 16;

	private static final String[] TAGS = find();

	private ShardTags() {
	}

	/** Finds the tags before the first request needs one. */
	static void prepare() {
		// The class is initialized.
	}

	private static String[] find() {
		String[] tags = new String[ClusterSlotHashUtil.SLOT_COUNT / STEP];
		int missing = tags.length;
		for (int i = 0; missing > 0; i++) {
			String tag = Integer.toString(i, Character.MAX_RADIX);
			int slot = ClusterSlotHashUtil.calculateSlot(tag.getBytes(StandardCharsets.US_ASCII));
			if (slot % STEP == 0 && tags[slot / STEP] == null) {
				tags[slot / STEP] = tag;
				missing--;
			}
		}
		return tags;
	}

	/**
	 * The tag of a shard. The first shards of different buckets are in different slots.
	 */
	static String of(BucketKey shard) {
		int first = Math.floorMod(31 * shard.rule().hashCode() + shard.affinityKey().hashCode(), TAGS.length);
		return TAGS[(first + shard.shardIndex() * TAGS.length / shard.shards()) % TAGS.length];
	}

}
