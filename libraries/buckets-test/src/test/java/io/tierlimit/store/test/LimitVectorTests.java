package io.tierlimit.store.test;

import java.util.List;
import java.util.stream.Stream;

import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Limit;
import io.tierlimit.store.test.LimitVectors.Case;
import io.tierlimit.store.test.LimitVectors.Expected;
import io.tierlimit.store.test.LimitVectors.Step;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

class LimitVectorTests {

	@TestFactory
	Stream<DynamicTest> decidesTheVectorsExactly() {
		return LimitVectors.single().stream().map((vector) -> dynamicTest(vector.name(), () -> replay(vector)));
	}

	@Test
	void vectorsAreComplete() {
		assertThat(LimitVectors.single()).hasSize(76 + 42 + 10)
			.allSatisfy((vector) -> assertThat(vector.steps()).hasSizeGreaterThanOrEqualTo(60));
		assertThat(LimitVectors.several()).hasSize(40).allSatisfy((vector) -> assertThat(vector.steps()).hasSize(60));
	}

	private static void replay(Case vector) {
		// The time of a bucket starts with its first charge. Before that, it is
		// equivalent to a missing bucket.
		BucketState state = new BucketState(Long.MIN_VALUE);
		List<Step> steps = vector.steps();
		for (int i = 0; i < steps.size(); i++) {
			Step step = steps.get(i);
			assertThat(answer(vector.limit(), state, step)).as("step %d: %s", i, step).isEqualTo(step.answer());
		}
	}

	private static @Nullable Expected answer(Limit limit, BucketState state, Step step) {
		return switch (step.operation()) {
			case "acquire" -> Expected.of(limit.acquire(state, step.cost(), step.now()));
			case "peek" -> Expected.of(limit.peek(state, step.cost(), step.now()));
			case "refund" -> {
				limit.refund(state, step.cost(), step.now());
				yield null;
			}
			case "reset" -> {
				state.reset(step.now());
				yield null;
			}
			default -> throw new IllegalArgumentException("A vector has the unknown operation " + step.operation());
		};
	}

}
