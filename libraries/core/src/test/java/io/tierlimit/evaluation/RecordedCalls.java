package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.limit.Overrun;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;

/**
 * A store that records the calls of an evaluator, with the number of charges.
 */
final class RecordedCalls extends DelegatingBucketStore {

	final List<String> calls = new ArrayList<>();

	RecordedCalls(BucketStore store) {
		super(store);
	}

	@Override
	public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
		this.calls.add("acquire " + charges.size());
		return super.acquire(charges, failureFlag);
	}

	@Override
	public AcquireResult peek(List<Charge> charges) {
		this.calls.add("peek " + charges.size());
		return super.peek(charges);
	}

	@Override
	public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
		this.calls.add("settle " + settlements.size());
		return super.settle(settlements, failureFlag);
	}

}
