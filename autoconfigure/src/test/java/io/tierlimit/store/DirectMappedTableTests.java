package io.tierlimit.store;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import io.tierlimit.spi.BucketKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DirectMappedTable}.
 */
class DirectMappedTableTests {

	private static final int SIZE = 64;

	private static final BucketKey ADA = new BucketKey("per-user", "ada");

	/** Has the same place. */
	private static final BucketKey OTHER = IntStream.iterate(0, (i) -> i + 1)
		.mapToObj((i) -> new BucketKey("search", "bob" + i))
		.filter((key) -> place(key) == place(ADA))
		.findFirst()
		.orElseThrow();

	private final DirectMappedTable<BucketKey> table = new DirectMappedTable<>(SIZE);

	@Test
	void valueIsReplacedByOneInTheSamePlace() {
		assertThat(this.table.get(ADA)).isNull();
		this.table.put(ADA, ADA);
		assertThat(this.table.get(ADA)).isSameAs(ADA);
		this.table.put(OTHER, OTHER);
		assertThat(this.table.get(ADA)).isSameAs(OTHER);
	}

	@Test
	void valueIsReplacedUnlessItHasChanged() {
		assertThat(this.table.replace(ADA, null, ADA)).isTrue();
		assertThat(this.table.replace(ADA, null, OTHER)).isFalse();
		assertThat(this.table.replace(ADA, OTHER, null)).isFalse();
		assertThat(this.table.get(ADA)).isSameAs(ADA);
		assertThat(this.table.replace(ADA, ADA, null)).isTrue();
		assertThat(this.table.get(ADA)).isNull();
	}

	@Test
	void valuesThatMatchAreRemoved() {
		List<BucketKey> keys = IntStream.range(0, 10 * SIZE)
			.mapToObj((i) -> new BucketKey("r" + i % 2, "k" + i))
			.toList();
		keys.forEach((key) -> this.table.put(key, key));
		List<BucketKey> kept = keys.stream()
			.map(this.table::get)
			.filter((key) -> key != null && key.rule().equals("r1"))
			.toList();
		this.table.removeIf((key) -> key.rule().equals("r0"));
		assertThat(keys.stream().map(this.table::get).filter(Objects::nonNull)).isNotEmpty()
			.containsExactlyElementsOf(kept);
	}

	@Test
	void everyPlaceIsUsed() {
		List<BucketKey> keys = IntStream.range(0, 100 * SIZE).mapToObj((i) -> new BucketKey("r", "k" + i)).toList();
		keys.forEach((key) -> this.table.put(key, key));
		assertThat(keys.stream().map(this.table::get).distinct()).hasSize(SIZE);
	}

	private static int place(BucketKey key) {
		return (int) (key.windowSeed() >>> Integer.SIZE) % SIZE;
	}

}
