package io.tierlimit.option.settlement;

import java.util.concurrent.atomic.LongAdder;

import io.tierlimit.option.RecordedValues;

/**
 * What happened when the costs of one rule were settled.
 *
 * @param ratios the actual costs divided by their estimates
 * @param dropped the permits that buckets could not consume
 * @param unknown the requests whose actual cost was unknown
 */
record SettlementCounts(RecordedValues ratios, LongAdder dropped, LongAdder unknown) {

	SettlementCounts() {
		this(new RecordedValues(), new LongAdder(), new LongAdder());
	}

}
