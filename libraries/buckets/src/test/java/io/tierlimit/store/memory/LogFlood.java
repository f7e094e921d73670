package io.tierlimit.store.memory;

import java.util.List;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.SlidingLog;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;

/**
 * A program that floods a store with keys, each of which fills its log, and prints the
 * result. The clock of the store advances by a tick per request, so that no entry is
 * shared.
 */
final class LogFlood {

	static final int KEYS = 8_000;

	private static final int REQUESTS = 401;

	private LogFlood() {
	}

	/**
	 * Floods a store with as many places for buckets as there are keys.
	 */
	public static void main(String[] args) {
		SimulatedTicker ticker = new SimulatedTicker();
		InMemoryBucketStore store = new InMemoryBucketStore(ticker, KEYS);
		Limit limit = new SlidingLog(Rate.parse("400/d"));
		int most = 0;
		for (int i = 0; i < KEYS; i++) {
			Charge charge = new Charge(new BucketKey("per-user", "flood " + i), limit, 1);
			int admitted = 0;
			for (int k = 0; k < REQUESTS; k++) {
				ticker.advance(1);
				admitted += store.acquire(List.of(charge), new StoreFailureFlag()).admitted() ? 1 : 0;
			}
			most = Math.max(most, admitted);
		}
		System.out.println("most admitted " + most);
		System.out.println("kept within the bound " + (store.size() <= KEYS));
	}

}
