package io.tierlimit.store;

import java.util.List;
import java.util.Map;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.Overrun;

/**
 * Delegates all calls to another store. Tests override the methods that they observe or
 * change.
 */
public abstract class DelegatingBucketStore implements BucketStore {

	private final BucketStore store;

	protected DelegatingBucketStore(BucketStore store) {
		this.store = store;
	}

	@Override
	public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
		return this.store.acquire(charges, failureFlag);
	}

	@Override
	public AcquireResult peek(List<Charge> charges) {
		return this.store.peek(charges);
	}

	@Override
	public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
		return this.store.settle(settlements, failureFlag);
	}

	@Override
	public boolean reset(BucketKey key, StoreFailureFlag failureFlag) {
		return this.store.reset(key, failureFlag);
	}

	@Override
	public boolean refill(BucketKey key, StoreFailureFlag failureFlag) {
		return this.store.refill(key, failureFlag);
	}

	@Override
	public Map<BucketKey, Ban> bans(String rule, int most) {
		return this.store.bans(rule, most);
	}

	@Override
	public boolean resetAll(String rule) {
		return this.store.resetAll(rule);
	}

}
