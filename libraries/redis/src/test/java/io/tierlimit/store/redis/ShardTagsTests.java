package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.tierlimit.store.BucketKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ShardTags}.
 */
class ShardTagsTests {

	private static final int SLOTS = ClusterSlotHashUtil.SLOT_COUNT;

	private final RedisKeys names = new RedisKeys("tierlimit");

	@ParameterizedTest
	@ValueSource(ints = { 2, 3, 4, 7, 16, 63, 64 })
	void shardsAreInSlotsOfEqualDistance(int shards) {
		NavigableSet<Integer> slots = slots(new BucketKey("all", "GET /").spread(shards));
		assertThat(slots).hasSize(shards);
		int last = slots.last() - SLOTS;
		for (int slot : slots) {
			assertThat(slot - last).isBetween(SLOTS / shards - 16, SLOTS / shards + 32);
			last = slot;
		}
	}

	@Test
	void threeShardsAreOnThreeMasters() {
		Set<Integer> masters = slots(new BucketKey("all", "").spread(3)).stream()
			.map((slot) -> slot * 3 / SLOTS)
			.collect(Collectors.toSet());
		assertThat(masters).hasSize(3);
	}

	@Test
	void firstShardsOfDifferentBucketsAreInDifferentSlots() {
		assertThat(IntStream.range(0, 20)
			.mapToObj((i) -> slots(new BucketKey("all", "GET /" + i).spread(2)).first())
			.distinct()).hasSizeGreaterThan(15);
	}

	@Test
	void nameContainsTheTagAndTheShard() {
		BucketKey key = new BucketKey("all", "GET /").spread(4);
		assertThat(name(key.shard(2))).matches("tierlimit:all:\\{[0-9a-z]+\\}:\\(shard 3/4\\)GET /");
		assertThat(name(key)).isEqualTo("tierlimit:all:{GET /}");
		assertThat(this.names.parse("all", this.names.of(key.shard(2)))).isEqualTo(key.shard(2));
	}

	private String name(BucketKey key) {
		return new String(this.names.of(key), StandardCharsets.UTF_8);
	}

	private NavigableSet<Integer> slots(BucketKey key) {
		return IntStream.range(0, key.shards())
			.mapToObj((i) -> ClusterSlotHashUtil.calculateSlot(this.names.of(key.shard(i))))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
