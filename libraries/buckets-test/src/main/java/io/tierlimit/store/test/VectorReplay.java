package io.tierlimit.store.test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.test.LimitVectors.Case;
import io.tierlimit.store.test.LimitVectors.Expected;
import io.tierlimit.store.test.LimitVectors.MultiBucketCase;
import io.tierlimit.store.test.LimitVectors.Request;
import io.tierlimit.store.test.LimitVectors.Step;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the results of a store with the vectors, whose times are absolute.
 *
 * @param store a store in which the vector's buckets are full
 * @param clock sets the store's clock
 */
record VectorReplay(BucketStore store, LongConsumer clock) {

	void replay(Case vector) {
		BucketKey key = new BucketKey("vector", vector.name());
		for (Step step : vector.steps()) {
			this.clock.accept(step.now());
			List<Charge> charges = List.of(new Charge(key, vector.limit(), step.cost()));
			switch (step.operation()) {
				case "acquire" -> {
					AcquireResult result = this.store.acquire(charges, new StoreFailureFlag());
					assertThat(Expected.of(result.decisions().get(0))).as("%s", step).isEqualTo(step.answer());
					assertThat(result.admitted()).as("%s", step).isEqualTo(result.decisions().get(0).allowed());
				}
				case "peek" -> assertThat(Expected.of(this.store.peek(charges).decisions().get(0))).as("%s", step)
					.isEqualTo(step.answer());
				case "refund" -> this.store.refund(charges, new StoreFailureFlag());
				case "reset" -> this.store.reset(key, new StoreFailureFlag());
				default -> throw new IllegalArgumentException("A vector has the unknown operation " + step.operation());
			}
		}
	}

	void replay(MultiBucketCase vector) {
		for (Request step : vector.steps()) {
			this.clock.accept(step.now());
			List<Charge> charges = new ArrayList<>();
			for (int i = 0; i < vector.limits().size(); i++) {
				BucketKey key = new BucketKey("vector " + i, vector.name());
				charges.add(new Charge(key, vector.limits().get(i), step.costs().get(i)));
			}
			AcquireResult result = this.store.acquire(charges, new StoreFailureFlag());
			assertThat(result.admitted()).as("%s", step).isEqualTo(step.admitted());
			assertThat(result.decisions().stream().map(Expected::of)).as("%s", step)
				.containsExactlyElementsOf(step.answers());
		}
	}

}
