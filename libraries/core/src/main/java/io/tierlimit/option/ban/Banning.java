package io.tierlimit.option.ban;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.rule.OptionValue;

/**
 * When a rule bans callers.
 *
 * @param policy when, and for how long
 */
public record Banning(BanPolicy policy) implements OptionValue {

	@Override
	public Duration memory() {
		return time(this.policy.within());
	}

	/** When callers are banned, for the management endpoint. */
	Map<String, Object> describe() {
		Map<String, Object> description = new LinkedHashMap<>();
		description.put("after", this.policy.after());
		description.put("within", memory());
		description.put("duration", time(this.policy.duration()));
		description.put("max", time(this.policy.max()));
		return description;
	}

	private static Duration time(long ticks) {
		return Duration.of(ticks, ChronoUnit.MICROS);
	}

}
