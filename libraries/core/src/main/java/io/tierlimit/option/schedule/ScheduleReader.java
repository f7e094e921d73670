package io.tierlimit.option.schedule;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.RuleProblems;
import org.jspecify.annotations.Nullable;

/**
 * Reads the schedule of a rule.
 */
public final class ScheduleReader implements OptionReader {

	private static final String GROUP = "schedule";

	private static final String RANGES = "schedule.ranges";

	private static final String WEEKLY = "schedule.weekly";

	private static final String ZONE = "schedule.zone";

	@Override
	public List<String> properties() {
		return List.of(RANGES + "[]", WEEKLY + "[]", ZONE);
	}

	@Override
	public @Nullable Schedule read(PropertyReader properties, RuleContext rule) {
		if (properties.group(GROUP) == null) {
			return null;
		}
		RuleProblems problems = properties.problems();
		List<String> rangeTexts = properties.list(RANGES);
		List<String> weeklyTexts = properties.list(WEEKLY);
		ZoneId zone = properties.parse(ZONE, ScheduleReader::zone);
		if (properties.text(ZONE) == null
				&& (!weeklyTexts.isEmpty() || rangeTexts.stream().anyMatch(TimeRange::hasLocalTime))) {
			problems.add("schedule has local times, but no time zone", "Set {} to one such as Europe/Berlin or UTC",
					ZONE);
		}
		if (weeklyTexts.isEmpty() && rangeTexts.isEmpty()) {
			problems.add("schedule has neither ranges nor weekly, so the rule would always apply",
					"Set one of them, or remove", GROUP);
		}
		ZoneId local = Objects.requireNonNullElse(zone, ZoneOffset.UTC);
		List<TimeRange> ranges = all(RANGES, rangeTexts, (range) -> TimeRange.parse(range, local), problems);
		List<WeeklyRange> weekly = all(WEEKLY, weeklyTexts, WeeklyRange::parse, problems);
		return new Schedule(ranges, weekly, local);
	}

	private static <T> List<T> all(String property, List<String> texts, Function<String, T> parsing,
			RuleProblems problems) {
		List<T> all = new ArrayList<>();
		for (int i = 0; i < texts.size(); i++) {
			String text = texts.get(i);
			T parsed = problems.attempt(property + "[" + i + "]", () -> parsing.apply(text));
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
					"schedule.zone must be a time zone such as Europe/Berlin or UTC (was '" + text + "')", ex);
		}
	}

}
