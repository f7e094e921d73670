package io.tierlimit.benchmarks.shards;

import java.util.Random;

import io.tierlimit.limit.Limit;
import io.tierlimit.store.Ticker;

/**
 * How a bucket is spread over shards.
 *
 * @param shards the number of shards; 1 for a bucket that is not spread
 * @param choices the number of shards that are drawn for a request, 1 or 2
 */
record Spreading(int shards, int choices) {

	SharedLimit share(Limit limit, int instances, Ticker ticker, Random random) {
		return (this.choices == 1) ? SharedLimit.ofOneChoice(limit, this.shards, ticker, random)
				: SharedLimit.ofTwoChoices(limit, this.shards, instances, ticker, random);
	}

	@Override
	public String toString() {
		if (this.shards == 1) {
			return "one bucket";
		}
		return this.shards + " shards" + ((this.choices == 1) ? ", one choice" : "");
	}

}
