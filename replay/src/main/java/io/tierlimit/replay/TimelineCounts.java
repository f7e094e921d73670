package io.tierlimit.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.tierlimit.replay.ReplayReport.Timeline;

/**
 * Counts requests in intervals of equal length. The intervals begin at multiples of their
 * length since 1970. If there would be more than {@link #INTERVALS} intervals, their
 * length is doubled, so that memory is bounded for a log of any length.
 */
final class TimelineCounts {

	static final int INTERVALS = 60;

	private final long[] counts = new long[INTERVALS];

	private long seconds = 1;

	/** The index of the first interval, counted from 1970. */
	private long origin = Long.MIN_VALUE;

	private int used;

	void add(Instant time) {
		long second = time.getEpochSecond();
		if (this.origin == Long.MIN_VALUE) {
			this.origin = Math.floorDiv(second, this.seconds);
		}
		while (Math.floorDiv(second, this.seconds) - this.origin >= INTERVALS) {
			widen();
		}
		// A request before the first interval is counted in the first interval.
		int index = (int) Math.max(0, Math.floorDiv(second, this.seconds) - this.origin);
		this.counts[index]++;
		this.used = Math.max(this.used, index + 1);
	}

	/** Doubles the length of the intervals. */
	private void widen() {
		long wider = Math.floorDiv(this.origin, 2);
		long[] sums = new long[INTERVALS];
		for (int i = 0; i < this.used; i++) {
			sums[(int) (Math.floorDiv(this.origin + i, 2) - wider)] += this.counts[i];
		}
		this.used = (this.used == 0) ? 0 : (int) (Math.floorDiv(this.origin + this.used - 1, 2) - wider) + 1;
		System.arraycopy(sums, 0, this.counts, 0, INTERVALS);
		this.origin = wider;
		this.seconds *= 2;
	}

	/**
	 * The counts in intervals that cover a period.
	 * @param first the start of the period, not after any counted request
	 * @param last the end of the period, not before any counted request
	 */
	Timeline result(Instant first, Instant last) {
		TimelineCounts period = new TimelineCounts();
		period.add(first);
		period.add(last);
		while (this.used > 0 && this.seconds < period.seconds) {
			widen();
		}
		Long[] intervals = new Long[period.used];
		for (int i = 0; i < intervals.length; i++) {
			long index = period.origin + i - this.origin;
			intervals[i] = (this.used > 0 && index >= 0 && index < this.used) ? this.counts[(int) index] : 0;
		}
		return new Timeline(Instant.ofEpochSecond(period.origin * period.seconds), Duration.ofSeconds(period.seconds),
				List.of(intervals));
	}

}
