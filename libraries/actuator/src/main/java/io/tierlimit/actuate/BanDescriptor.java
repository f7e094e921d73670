package io.tierlimit.actuate;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.tierlimit.limit.Ban;

/**
 * A current ban.
 *
 * @param key the key of the banned bucket as it is stored, with hidden parts hashed
 * @param until the end of the ban, rounded to seconds
 * @param number the number of bans in a row, including this one
 */
record BanDescriptor(String key, Instant until, long number) {

	static BanDescriptor of(String key, Ban ban, Instant now) {
		return new BanDescriptor(key, until(ban, now), ban.number());
	}

	/** The end of a ban, rounded, so that two calls rarely return different times. */
	static Instant until(Ban ban, Instant now) {
		return now.plus(ban.remaining()).plusMillis(500).truncatedTo(ChronoUnit.SECONDS);
	}

}
