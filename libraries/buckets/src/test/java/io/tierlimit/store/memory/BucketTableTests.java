package io.tierlimit.store.memory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Crowd;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

// If a look-up follows a chain forever, the test fails instead of hanging.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BucketTableTests {

	/** With one segment, and with several. */
	private static final int SMALL = 1;

	private static final int LARGE = 64 * 1024;

	@ParameterizedTest
	@ValueSource(ints = { SMALL, LARGE })
	void bucketIsFoundFromItsAdditionToItsRemoval(int maxBuckets) {
		BucketTable table = new BucketTable(maxBuckets);
		List<Bucket> added = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			assertThat(table.get(key(i))).isNull();
			added.add(add(table, key(i)));
		}
		assertThat(table.size()).isEqualTo(10_000);
		for (int i = 0; i < 10_000; i++) {
			assertThat(table.get(key(i))).isSameAs(added.get(i));
			assertThat(table.putIfAbsent(key(i), new Bucket(key(i)))).isSameAs(added.get(i));
			table.remove(added.get(i), 0);
			assertThat(table.get(key(i))).isNull();
		}
		assertThat(table.size()).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { SMALL, LARGE })
	void handVisitsEveryBucketOnceInARound(int maxBuckets) {
		BucketTable table = new BucketTable(maxBuckets);
		for (int i = 0; i < 1_000; i++) {
			add(table, key(i));
		}
		for (int round = 0; round < 3; round++) {
			assertThat(visited(table, 1_000)).hasSize(1_000);
		}
	}

	@Test
	void handVisitsTheOtherBucketsAfterARemoval() {
		BucketTable table = new BucketTable(SMALL);
		for (int i = 0; i < 1_000; i++) {
			add(table, key(i));
		}
		Set<Bucket> visited = new HashSet<>();
		for (int i = 0; i < 500; i++) {
			@Nullable Bucket[] next = table.next(2);
			assertThat(visited.add(Objects.requireNonNull(next[0]))).isTrue();
			assertThat(visited.add(Objects.requireNonNull(next[1]))).isTrue();
			table.remove(Objects.requireNonNull(next[i % 2]), 0);
		}
		assertThat(table.size()).isEqualTo(500);
	}

	@Test
	void handOfAnEmptyTableFindsNothing() {
		assertThat(new BucketTable(LARGE).next(2)).containsOnlyNulls();
	}

	@Test
	void slotsFollowTheNumberOfBuckets() {
		BucketTable table = new BucketTable(SMALL);
		for (int i = 0; i < 10_000; i++) {
			add(table, key(i));
		}
		assertThat(table.segments[0].slots).hasSizeBetween(10_000, 30_000);
		for (int i = 1; i < 10_000; i++) {
			table.remove(Objects.requireNonNull(table.get(key(i))), 0);
		}
		assertThat(table.segments[0].slots).hasSizeLessThan(10);
	}

	@Test
	void keysWithEqualHashCodesHaveShortChains() {
		BucketTable table = new BucketTable(LARGE);
		List<BucketKey> keys = new ArrayList<>();
		for (int i = 0; i < 1 << 12; i++) {
			StringBuilder text = new StringBuilder();
			for (int bit = 0; bit < 12; bit++) {
				text.append(((i >> bit & 1) == 0) ? "Aa" : "BB");
			}
			keys.add(new BucketKey("per-user", text.toString()));
		}
		assertThat(keys.stream().mapToInt(BucketKey::hashCode).distinct()).hasSize(1);
		keys.forEach((key) -> add(table, key));
		assertThat(keys).allMatch((key) -> Objects.requireNonNull(table.get(key)).isOf(key));
		assertThat(longestChain(table)).isLessThan(2 * BucketTable.LONG_CHAIN);
		keys.forEach((key) -> table.remove(Objects.requireNonNull(table.get(key)), 0));
		assertThat(table.size()).isZero();
	}

	@Test
	void chainsStayShortWhenTheTableShrinks() {
		BucketTable table = new BucketTable(SMALL);
		List<Bucket> neighbours = new ArrayList<>();
		List<Bucket> others = new ArrayList<>();
		for (int i = 0; neighbours.size() < 200; i++) {
			int hash = key(i).hashCode();
			if (((hash ^ (hash >>> 16)) & 1023) == 5) {
				neighbours.add(add(table, key(i)));
			}
			else if (others.size() < 65_536) {
				others.add(add(table, key(i)));
			}
		}
		others.forEach((bucket) -> table.remove(bucket, 0));
		assertThat(table.segments[0].slots).hasSizeLessThanOrEqualTo(1024);
		assertThat(longestChain(table)).isLessThan(2 * BucketTable.LONG_CHAIN);
		assertThat(neighbours).allMatch((bucket) -> table.get(bucket.key()) == bucket);
	}

	/** Fails if a look-up relies on a search without the lock. */
	@Test
	void bucketsAreFoundWhileTheTableGrowsAndShrinks() throws Exception {
		BucketTable table = new BucketTable(SMALL);
		for (int i = 0; i < 100; i++) {
			add(table, key(i));
		}
		AtomicInteger growing = new AtomicInteger(1);
		List<Integer> missed = Crowd.run(3, (thread) -> {
			if (thread == 0) {
				growAndShrink(table);
				growing.set(0);
				return 0;
			}
			int count = 0;
			for (int i = 0; growing.get() == 1; i = (i + 1) % 100) {
				count += (table.get(key(i)) == null) ? 1 : 0;
			}
			return count;
		});
		assertThat(missed).containsOnly(0);
		assertThat(visited(table, 100)).hasSize(100);
	}

	private static void growAndShrink(BucketTable table) {
		for (int round = 0; round < 2_000; round++) {
			List<Bucket> added = new ArrayList<>();
			for (int i = 100; i < 1_000; i++) {
				added.add(add(table, key(i)));
			}
			added.forEach((bucket) -> table.remove(bucket, 0));
		}
	}

	private static Set<Bucket> visited(BucketTable table, int count) {
		Set<Bucket> visited = new HashSet<>();
		for (int i = 0; i < count; i++) {
			visited.add(Objects.requireNonNull(table.next(1)[0]));
		}
		return visited;
	}

	private static int longestChain(BucketTable table) {
		int longest = 0;
		for (BucketTable.Segment segment : table.segments) {
			for (Bucket bucket : segment.slots) {
				int length = 0;
				for (; bucket != null; bucket = bucket.next) {
					length++;
				}
				longest = Math.max(longest, length);
			}
		}
		return longest;
	}

	private static Bucket add(BucketTable table, BucketKey key) {
		Bucket created = new Bucket(key);
		assertThat(table.putIfAbsent(key, created)).isSameAs(created);
		return created;
	}

	private static BucketKey key(int number) {
		return new BucketKey("per-user", "user " + number);
	}

}
