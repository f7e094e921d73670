package io.tierlimit.store.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockOrderTests {

	private static final TokenBucket LIMIT = new TokenBucket(Rate.parse("1/s"));

	@Test
	void chargesAreInTheOrderOfTheirKeysAndThenInTheirOwn() {
		Random random = new Random(42);
		for (int round = 0; round < 2_000; round++) {
			List<Charge> charges = new ArrayList<>();
			int size = random.nextInt(LockOrder.MAX_CHARGES + 1);
			for (int i = 0; i < size; i++) {
				charges.add(new Charge(new BucketKey("rule", "key " + random.nextInt(10)), LIMIT, i));
			}
			long order = LockOrder.of(charges);
			List<Charge> sorted = new ArrayList<>(charges);
			sorted.sort(Comparator.comparing(Charge::key));
			assertThat(IntStream.range(0, size).mapToObj((position) -> charges.get(LockOrder.index(order, position))))
				.containsExactlyElementsOf(sorted);
		}
	}

	@Test
	void noOrderOfChargesIsMistakenForSortedCharges() {
		List<Charge> descending = new ArrayList<>();
		for (int i = 0; i < LockOrder.MAX_CHARGES; i++) {
			descending.add(new Charge(new BucketKey("rule", "" + (char) ('z' - i)), LIMIT, 1));
		}
		assertThat(LockOrder.of(descending)).isNotEqualTo(LockOrder.SORTED);
		assertThat(LockOrder.index(LockOrder.of(descending), 0)).isEqualTo(LockOrder.MAX_CHARGES - 1);
		assertThat(LockOrder.index(LockOrder.SORTED, 40)).isEqualTo(40);
	}

}
