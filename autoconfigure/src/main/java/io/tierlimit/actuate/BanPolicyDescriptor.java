package io.tierlimit.actuate;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.tierlimit.limit.BanPolicy;
import org.jspecify.annotations.Nullable;

/**
 * When a rule bans callers, and for how long.
 *
 * @param after the number of rejections that starts a ban
 * @param within the time in which they must occur
 * @param duration the duration of the first ban
 * @param max the maximum duration
 */
record BanPolicyDescriptor(long after, Duration within, Duration duration, Duration max) {

	static @Nullable BanPolicyDescriptor of(@Nullable BanPolicy ban) {
		return (ban == null) ? null
				: new BanPolicyDescriptor(ban.after(), time(ban.within()), time(ban.duration()), time(ban.max()));
	}

	private static Duration time(long ticks) {
		return Duration.of(ticks, ChronoUnit.MICROS);
	}

}
