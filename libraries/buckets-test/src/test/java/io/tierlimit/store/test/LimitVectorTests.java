package io.tierlimit.store.test;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the vectors are complete. The contract of the store in memory replays them.
 */
class LimitVectorTests {

	@Test
	void vectorsAreComplete() {
		List<LimitVector> alone = LimitVector.all().stream().filter((vector) -> vector.limits().size() == 1).toList();
		assertThat(alone).hasSize(76 + 42 + 10)
			.allSatisfy((vector) -> assertThat(vector.steps()).hasSizeGreaterThanOrEqualTo(60));
		assertThat(LimitVector.all()).hasSize(alone.size() + 40)
			.filteredOn((vector) -> !alone.contains(vector))
			.allSatisfy((vector) -> assertThat(vector.steps()).hasSize(60));
	}

}
