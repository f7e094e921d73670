package io.tierlimit.store.redis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Receipt;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import org.jspecify.annotations.Nullable;

/**
 * Charges on the same bucket add up, under the limit of the first, and have the same
 * decision.
 */
final class ChargeSums {

	/** The number of charges up to which all pairs are compared. */
	private static final int FEW = 16;

	private ChargeSums() {
	}

	/** One charge per bucket; the list itself if there are no others. */
	static List<Charge> of(List<Charge> charges) {
		if (charges.size() <= FEW && areDistinct(charges)) {
			return charges;
		}
		Map<BucketKey, Charge> sums = new LinkedHashMap<>();
		charges.forEach((charge) -> sums.merge(charge.key(), charge, Charge::plus));
		return (sums.size() == charges.size()) ? charges : List.copyOf(sums.values());
	}

	/** Compares all pairs, which is quicker than a map if there are few. */
	private static boolean areDistinct(List<Charge> charges) {
		for (int i = 1; i < charges.size(); i++) {
			for (int k = 0; k < i; k++) {
				if (charges.get(i).key().equals(charges.get(k).key())) {
					return false;
				}
			}
		}
		return true;
	}

	/** The charges, each with the receipt of its sum. */
	static List<Charge> acquired(List<Charge> sums, List<Charge> charges) {
		if (sums.size() == charges.size()) {
			return sums;
		}
		Map<BucketKey, Charge> byKey = new LinkedHashMap<>();
		sums.forEach((sum) -> byKey.put(sum.key(), sum));
		return charges.stream().map((charge) -> {
			Receipt receipt = byKey.getOrDefault(charge.key(), charge).receipt();
			return (receipt != null) ? charge.acquired(receipt) : charge;
		}).toList();
	}

	/** The decisions on the sums, for each of the charges. */
	static List<@Nullable Decision> decisionsOf(List<Charge> sums, List<@Nullable Decision> decisions,
			List<Charge> charges) {
		if (sums.size() == charges.size()) {
			return decisions;
		}
		List<BucketKey> keys = sums.stream().map(Charge::key).toList();
		return charges.stream().map((charge) -> decisions.get(keys.indexOf(charge.key()))).toList();
	}

}
