package io.tierlimit.autoconfigure.rules;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import io.tierlimit.ActiveDefinition;
import io.tierlimit.rule.ActiveTimes;
import io.tierlimit.rule.TimeRange;
import io.tierlimit.rule.WeeklyRange;
import org.jspecify.annotations.Nullable;

/**
 * Reads the times in which a rule applies, and collects the problems.
 */
final class ActiveReader {

	private static final String ZONE = "active.zone";

	private final RuleProblems problems;

	ActiveReader(RuleProblems problems) {
		this.problems = problems;
	}

	/**
	 * Reads the times.
	 * @return the times; {@code null} for all times, and if a value is not valid
	 */
	@Nullable ActiveTimes read(@Nullable ActiveDefinition active) {
		if (active == null) {
			return null;
		}
		String text = RuleTexts.text(active.zone());
		ZoneId zone = (text != null) ? this.problems.attempt(ZONE, () -> zone(text)) : null;
		if (text == null
				&& (!active.weekly().isEmpty() || active.ranges().stream().anyMatch(TimeRange::hasLocalTime))) {
			this.problems.add("active has local times, but no time zone", "Set {} to one such as Europe/Berlin or UTC",
					ZONE);
		}
		if (active.weekly().isEmpty() && active.ranges().isEmpty()) {
			this.problems.add("active has neither ranges nor weekly, so the rule would always apply",
					"Set one of them, or remove", "active");
		}
		ZoneId local = Objects.requireNonNullElse(zone, ZoneOffset.UTC);
		List<TimeRange> ranges = all("active.ranges", active.ranges(), (range) -> TimeRange.parse(range, local));
		List<WeeklyRange> weekly = all("active.weekly", active.weekly(), WeeklyRange::parse);
		return new ActiveTimes(ranges, weekly, local);
	}

	private <T> List<T> all(String property, List<String> texts, Function<String, T> parsing) {
		List<T> all = new ArrayList<>();
		for (int i = 0; i < texts.size(); i++) {
			String text = texts.get(i);
			T parsed = this.problems.attempt(property + "[" + i + "]", () -> parsing.apply(text));
			if (parsed != null) {
				all.add(parsed);
			}
		}
		return all;
	}

	private static ZoneId zone(String text) {
		try {
			return ZoneId.of(text);
		}
		catch (DateTimeException ex) {
			throw new IllegalArgumentException(
					"active.zone must be a time zone such as Europe/Berlin or UTC (was '" + text + "')", ex);
		}
	}

}
