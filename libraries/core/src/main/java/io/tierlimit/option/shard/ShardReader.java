package io.tierlimit.option.shard;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads the number of shards of a rule.
 */
public final class ShardReader implements OptionReader {

	private static final String SHARDS = "shards";

	/** With fewer permits, several percent of the limit may remain unused. */
	private static final int FEW = 10;

	@Override
	public List<String> properties() {
		return List.of(SHARDS);
	}

	@Override
	public @Nullable Shards read(PropertyReader properties, RuleContext rule) {
		RuleProblems problems = properties.problems();
		Integer count = properties.value(SHARDS, Integer.class);
		Shards shards = (count != null) ? problems.attempt(SHARDS, () -> new Shards(count)) : null;
		if (shards == null || shards.count() == 1) {
			return null;
		}
		if (!rule.shared()) {
			problems.add("each caller has its own bucket, which needs no shards",
					"Set scope to global, endpoint or plan without a key, or remove", SHARDS);
		}
		reject(properties.group("ban") != null, "ban", "no shard knows the rejections of the others", problems);
		reject(!properties.valueOr("max-wait", Duration.ZERO).isZero(), "max-wait",
				"a request would wait for one shard although others have permits", problems);
		reject(properties.valueOr("max-reserved", 0L) != 0, "max-reserved",
				"a reservation would wait for one shard although others have permits", problems);
		reject(!properties.list("reset-on").isEmpty(), "reset-on", "each reset would be a call to every shard",
				problems);
		RuleLimits limits = rule.limits();
		if (limits != null && !problems.has(SHARDS)) {
			check(shards, limits, problems);
		}
		return problems.has(SHARDS) ? null : shards;
	}

	private static void check(Shards shards, RuleLimits limits, RuleProblems problems) {
		Algorithm algorithm = limits.standard().algorithm();
		if (algorithm != Algorithm.TOKEN_BUCKET && algorithm != Algorithm.FIXED_WINDOW) {
			problems.add("shards are not supported by " + KebabCase.of(algorithm),
					"Set algorithm to token-bucket or fixed-window, or remove", SHARDS);
			return;
		}
		problems.attempt(SHARDS, () -> {
			shards.check(limits);
			return shards;
		});
		long burst = limits.standard().capacity() / shards.count();
		if (!problems.has(SHARDS) && burst < FEW) {
			problems.warn(
					"each shard has a burst of only " + burst
							+ " permits, so requests may be rejected although other shards have permits",
					"Raise burst, or lower", SHARDS);
		}
	}

	private static void reject(boolean set, String other, String reason, RuleProblems problems) {
		if (set) {
			problems.add("shards cannot be combined with " + other + ", because " + reason,
					"Remove " + other + ", or remove", SHARDS);
		}
	}

}
