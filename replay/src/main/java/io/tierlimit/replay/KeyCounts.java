package io.tierlimit.replay;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.replay.ReplayReport.KeyResult;

/**
 * Counts requests by key. After 100,000 different keys, further keys are only counted in
 * the total, so that memory is bounded.
 */
final class KeyCounts {

	private static final int MAX_KEYS = 100_000;

	private static final int TOP = 5;

	private final Map<String, Count> counts = new HashMap<>();

	private long total;

	void add(String key, Instant time) {
		this.total++;
		Count count = this.counts.get(key);
		if (count == null && this.counts.size() < MAX_KEYS) {
			count = new Count(time);
			this.counts.put(key, count);
		}
		if (count != null) {
			count.number++;
			count.last = time;
		}
	}

	long total() {
		return this.total;
	}

	int size() {
		return this.counts.size();
	}

	/** The keys with the most requests, in descending order. */
	List<KeyResult> top() {
		return this.counts.entrySet()
			.stream()
			.map((entry) -> new KeyResult(entry.getKey(), entry.getValue().number, entry.getValue().first,
					entry.getValue().last))
			.sorted(Comparator.comparingLong(KeyResult::violations).reversed().thenComparing(KeyResult::key))
			.limit(TOP)
			.toList();
	}

	private static final class Count {

		private final Instant first;

		private Instant last;

		private long number;

		Count(Instant first) {
			this.first = first;
			this.last = first;
		}

	}

}
