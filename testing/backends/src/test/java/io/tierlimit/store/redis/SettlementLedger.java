package io.tierlimit.store.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the log of a {@link SettlementJvm} shows.
 *
 * @param changes the changes whose results are known or uncertain
 */
record SettlementLedger(List<Change> changes) {

	/** Reads the lines of a log, whose last line may be incomplete. */
	static SettlementLedger of(List<String> lines) {
		Map<String, Change> changes = new HashMap<>();
		for (String line : lines) {
			String[] words = line.split(" ", -1);
			if (words[0].equals("begin")) {
				changes.put(words[1], Change.uncertain(words[2], Long.parseLong(words[3])));
			}
			else if (words[0].equals("end")) {
				changes.computeIfPresent(words[1], (number, change) -> change.certain(Long.parseLong(words[2])));
			}
		}
		return new SettlementLedger(List.copyOf(changes.values()));
	}

	/** All changes in this log and in another log. */
	SettlementLedger plus(SettlementLedger other) {
		List<Change> all = new ArrayList<>(this.changes);
		all.addAll(other.changes);
		return new SettlementLedger(all);
	}

	long uncertain() {
		return this.changes.stream().filter((change) -> change.least() != change.most()).count();
	}

	/** The permits that are certainly consumed from a bucket. */
	long least(String key) {
		return this.changes.stream().filter((change) -> change.key().equals(key)).mapToLong(Change::least).sum();
	}

	/** The permits that may be consumed from a bucket. */
	long most(String key) {
		return this.changes.stream().filter((change) -> change.key().equals(key)).mapToLong(Change::most).sum();
	}

	/**
	 * A change of a bucket.
	 *
	 * @param key the key of the bucket
	 * @param least the permits that were certainly consumed; negative if permits may have
	 * been returned
	 * @param most the permits that may have been consumed
	 */
	record Change(String key, long least, long most) {

		/** A call without a reply may have been executed. */
		static Change uncertain(String key, long permits) {
			return new Change(key, Math.min(0, permits), Math.max(0, permits));
		}

		Change certain(long permits) {
			return new Change(this.key, permits, permits);
		}

	}

}
