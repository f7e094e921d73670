package io.tierlimit.explorer;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Explorer}.
 */
class ExplorerTests {

	@Test
	void visitsEachStateOnce() {
		Explorer<Integer, String> explorer = Explorer.explore(new Numbers(100));
		assertThat(explorer.states()).isEqualTo(21);
		assertThat(explorer.violation()).isNull();
		assertThat(explorer.last()).containsExactlyInAnyOrder(19, 20);
		assertThat(explorer.trace(19)).hasSize(7);
	}

	@Test
	void violationHasTheShortestWay() {
		assertThat(Explorer.explore(new Numbers(7)).violation())
			.isEqualTo("7 is too large after [plus 3, plus 3, plus 1]");
	}

	@Test
	void lastStatesAreCheckedAsSuch() {
		assertThat(Explorer.explore(new Numbers(-20)).violation()).startsWith("20 is last after");
	}

	/**
	 * Adds 1 or 3 up to 20. A negative bound applies only to last numbers.
	 */
	private record Numbers(int bound) implements Model<Integer, String> {

		@Override
		public Integer initial() {
			return 0;
		}

		@Override
		public List<Step<Integer, String>> steps(Integer state) {
			List<Step<Integer, String>> steps = new ArrayList<>();
			if (state < 19) {
				steps.add(new Step<>("plus 3", Math.min(20, state + 3)));
				steps.add(new Step<>("plus 1", state + 1));
			}
			return steps;
		}

		@Override
		public @Nullable String violation(Integer state, boolean last) {
			if (this.bound < 0) {
				return (last && state == -this.bound) ? state + " is last" : null;
			}
			return (state == this.bound) ? state + " is too large" : null;
		}

	}

}
