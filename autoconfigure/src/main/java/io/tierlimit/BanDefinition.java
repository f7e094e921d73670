package io.tierlimit;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * When a rule bans a caller, and for how long, in a {@link RuleDefinition}. The values
 * are validated with the rule, at startup.
 *
 * @param after the number of rejections that starts a ban, 1 or more
 * @param within the time in which they must occur
 * @param duration the duration of the first ban
 * @param max the maximum duration: each further ban is twice as long as the one before;
 * {@code null} for that of the first ban
 */
public record BanDefinition(long after, Duration within, Duration duration, @Nullable Duration max) {

	/**
	 * Creates a definition.
	 */
	public BanDefinition {
		Objects.requireNonNull(within, "within");
		Objects.requireNonNull(duration, "duration");
	}

}
