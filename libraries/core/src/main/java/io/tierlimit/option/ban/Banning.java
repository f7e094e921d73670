package io.tierlimit.option.ban;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.RuleLimits;

/**
 * The bans of a rule.
 *
 * @param policy defines when and for how long callers are banned
 */
public record Banning(BanPolicy policy) implements OptionValue {

	@Override
	public void check(RuleLimits limits) {
		limits.requireConsumedPermits("ban");
	}

	@Override
	public Duration memory() {
		return time(this.policy.within());
	}

	/** Describes the bans for the management endpoint. */
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
