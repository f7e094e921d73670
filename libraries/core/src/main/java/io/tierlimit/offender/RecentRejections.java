package io.tierlimit.offender;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.offender.SpaceSaving.Counter;
import org.jspecify.annotations.Nullable;

/**
 * The rejections of one rule in the current window and in the previous window. Each
 * window has its own summary. When a window ends, the older summary is dropped, so that a
 * key disappears after its rejections have ended. Thread-safe: a lock guards both
 * summaries.
 */
final class RecentRejections {

	private final int maxKeys;

	private SpaceSaving previous;

	private SpaceSaving present;

	private long window;

	RecentRejections(int maxKeys, long window) {
		this.maxKeys = maxKeys;
		this.previous = new SpaceSaving(maxKeys);
		this.present = new SpaceSaving(maxKeys);
		this.window = window;
	}

	/**
	 * Counts a rejection.
	 * @param key the key of the rejected bucket
	 * @param plan the plan that the bucket belongs to
	 * @param now the number of the current window. A lower number than before is treated
	 * as the same window, since threads may call this method in another order
	 */
	synchronized void add(String key, @Nullable String plan, long now) {
		advance(now);
		this.present.add(key, plan);
	}

	private void advance(long now) {
		if (now <= this.window) {
			return;
		}
		this.previous = (now == this.window + 1) ? this.present : new SpaceSaving(this.maxKeys);
		this.present = new SpaceSaving(this.maxKeys);
		this.window = now;
	}

	/**
	 * Lists the keys of both windows.
	 * @param now the number of the current window, as in {@link #add}
	 * @param since the time at which the previous window began
	 * @return the keys, in descending order of the lower bounds of their rejections
	 */
	synchronized OffenderList list(long now, Instant since) {
		advance(now);
		Map<String, Counter> counters = new HashMap<>();
		this.previous.counters().forEach((counter) -> counters.put(counter.key(), counter));
		this.present.counters().forEach((counter) -> counters.put(counter.key(), counter));
		List<Offender> offenders = new ArrayList<>(counters.size());
		counters.forEach((key, counter) -> offenders
			.add(new Offender(key, counter.plan(), atLeast(this.previous, key) + atLeast(this.present, key),
					atMost(this.previous, key) + atMost(this.present, key))));
		offenders.sort(Comparator.comparingLong(Offender::atLeast)
			.thenComparingLong(Offender::atMost)
			.reversed()
			.thenComparing(Offender::key));
		return new OffenderList(since, this.previous.total() + this.present.total(), offenders);
	}

	private static long atLeast(SpaceSaving summary, String key) {
		Counter counter = summary.counter(key);
		return (counter != null) ? counter.atLeast() : 0;
	}

	private static long atMost(SpaceSaving summary, String key) {
		Counter counter = summary.counter(key);
		return (counter != null) ? counter.atMost() : summary.smallest();
	}

}
