package io.tierlimit.option.ban;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

import io.tierlimit.limit.BanPolicy;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bans of a rule.
 */
public final class BanReader implements OptionReader {

	private static final String GROUP = "ban";

	private static final String AFTER = "ban.after";

	private static final String WITHIN = "ban.within";

	private static final String FOR = "ban.for";

	private static final String MAX = "ban.max";

	private static final Duration SHORTEST = Duration.of(1, ChronoUnit.MICROS);

	@Override
	public List<String> properties() {
		return List.of(AFTER, WITHIN, FOR, MAX);
	}

	@Override
	public @Nullable Banning read(PropertyReader properties, RuleContext rule) {
		if (properties.group(GROUP) == null) {
			return null;
		}
		RuleProblems problems = properties.problems();
		Long after = properties.required(AFTER, properties.value(AFTER, Long.class),
				"a number of rejections, such as 20");
		Duration within = properties.required(WITHIN, properties.value(WITHIN, Duration.class), "a time, such as 1m");
		Duration duration = properties.required(FOR, properties.value(FOR, Duration.class), "a time, such as 10m");
		Duration max = Objects.requireNonNullElse(properties.value(MAX, Duration.class),
				Objects.requireNonNullElse(duration, SHORTEST));
		if (after == null || within == null || duration == null) {
			return null;
		}
		rule.reportIfShared("callers share a bucket, so the ban of one would block the others", GROUP, problems);
		if (rule.cost().chars().allMatch((c) -> c == '0')) {
			problems.add("a request that costs 0 is never rejected, so no caller would be banned",
					"Raise cost, or remove", GROUP);
		}
		problems.attempt(AFTER, () -> BanPolicy.of(after, SHORTEST, SHORTEST, SHORTEST));
		problems.attempt(WITHIN, () -> BanPolicy.of(1, within, SHORTEST, SHORTEST));
		problems.attempt(FOR, () -> BanPolicy.of(1, SHORTEST, duration, duration));
		Duration least = problems.has(FOR) ? SHORTEST : duration;
		problems.attempt(MAX, () -> BanPolicy.of(1, SHORTEST, least, max));
		boolean invalid = properties().stream().anyMatch(problems::has);
		return invalid ? null : new Banning(BanPolicy.of(after, within, duration, max));
	}

}
