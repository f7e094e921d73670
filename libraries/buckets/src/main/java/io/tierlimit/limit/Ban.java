package io.tierlimit.limit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * A ban of a bucket that is in force.
 *
 * @param ticks the time until its end: 1 or more
 * @param number how many bans this one is in a row: 1 or more
 * @param started whether the charge that was decided has started it
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
