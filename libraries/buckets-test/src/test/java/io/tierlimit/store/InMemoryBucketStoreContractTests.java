package io.tierlimit.store;

import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.test.BucketStoreContract;
import org.junit.jupiter.api.Timeout;

// If a request does not end, the test fails.
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InMemoryBucketStoreContractTests extends BucketStoreContract {

	@Override
	protected BucketStore createStore(Ticker ticker) {
		return new InMemoryBucketStore(ticker, 1_000);
	}

}
