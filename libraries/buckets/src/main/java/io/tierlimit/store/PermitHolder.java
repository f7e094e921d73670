package io.tierlimit.store;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.tierlimit.limit.Holder;
import org.jspecify.annotations.Nullable;

/**
 * A request or a call that holds permits of a bucket, for operators.
 *
 * @param id identifies the holder within its bucket
 * @param permits the number of permits, 1 or more
 * @param age the time for which the permits have been held, by the clock of the store
 */
public record PermitHolder(String id, long permits, Duration age) {

	/**
	 * Creates a holder.
	 * @param holder the holder in the state of the bucket
	 * @param now the current time in ticks
	 * @return the holder with its age
	 */
	public static PermitHolder of(Holder holder, long now) {
		return new PermitHolder(Long.toHexString(holder.id()), holder.permits(),
				Duration.of(Math.max(0, now - holder.since()), ChronoUnit.MICROS));
	}

	/**
	 * The number of a holder's id.
	 * @param id the id
	 * @return the id in the state of the bucket; {@code null} if it is not an id
	 */
	public static @Nullable Long number(String id) {
		try {
			return Long.parseUnsignedLong(id, 16);
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

}
