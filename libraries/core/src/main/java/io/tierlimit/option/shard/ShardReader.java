package io.tierlimit.option.shard;

import java.time.Duration;
import java.util.List;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads the number of shards of a rule.
 */
public final class ShardReader implements OptionReader {

	private static final String SHARDS = "shards";

	/** With fewer requests, several percent of the limit may remain unused. */
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
			check(shards, limits, rule.cost(), problems);
		}
		return problems.has(SHARDS) ? null : shards;
	}

	private static void check(Shards shards, RuleLimits limits, String cost, RuleProblems problems) {
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
		if (!problems.has(SHARDS)) {
			warn(shards, limits, cost, problems);
		}
	}

	private static void warn(Shards shards, RuleLimits limits, String cost, RuleProblems problems) {
		long permits = cost.matches("[1-9]\\d{0,17}") ? Long.parseLong(cost) : 1;
		long least = limits.standard().capacity();
		for (PlanLimit plan : limits.plans().values()) {
			least = (plan.limit() != null) ? Math.min(least, plan.limit().capacity()) : least;
		}
		long requests = least / shards.count() / permits;
		if (requests < FEW) {
			problems.warn(
					"each shard has a burst for only " + requests
							+ " requests, so requests may be rejected although other shards have permits",
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
