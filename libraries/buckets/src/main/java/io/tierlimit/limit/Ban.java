package io.tierlimit.limit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * A current ban of a bucket.
 *
 * @param ticks the time until its end: 1 or more
 * @param number the number of bans in a row, including this one: 1 or more
 * @param started whether the charge that was just decided has started the ban
 */
public record Ban(long ticks, long number, boolean started) {

	/**
	 * The time until the end of the ban.
	 * @return the exact time; never zero
	 */
	public Duration remaining() {
		return Duration.of(this.ticks, ChronoUnit.MICROS);
	}

}
