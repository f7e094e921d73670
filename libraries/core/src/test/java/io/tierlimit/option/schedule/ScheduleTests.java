package io.tierlimit.option.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ScheduleTests {

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	/** Friday. */
	private static final String FRIDAY = "2026-11-27T";

	@ParameterizedTest
	@CsvSource({ "MON-FRI 08:00-18:00,-07:59 +08:00 +17:59 -18:00", "FRI 00:00-24:00,+00:00 +23:59",
			"08:00-09:00,-07:59 +08:00 -09:00", "fri 08:15-08:30,-08:14 +08:15 +08:29 -08:30",
			"THU 22:00-06:00,+00:00 +05:59 -06:00 -22:00", "FRI 22:00-06:00,-00:00 -05:59 -21:59 +22:00 +23:59",
			"SAT-THU 00:00-24:00,-00:00 -23:59", "FRI-MON 08:00-09:00,+08:00", "TUE-THU 08:00-09:00,-08:00" })
	void weeklyRangesFollowTheLocalTime(String range, String times) {
		Schedule schedule = weekly(BERLIN, range);
		for (String time : times.split(" ", -1)) {
			Instant instant = LocalDateTime.parse(FRIDAY + time.substring(1)).atZone(BERLIN).toInstant();
			assertThat(schedule.includes(instant)).as(time).isEqualTo(time.startsWith("+"));
		}
	}

	@Test
	void rangeThatIsSkippedWhenClocksAreSetForwardBeginsWithTheChange() {
		// 02:00 is 03:00 on this Sunday.
		Schedule schedule = weekly(BERLIN, "SUN 02:30-04:00");
		assertThat(schedule.nextChange(Instant.parse("2026-03-28T12:00:00Z"))).isEqualTo("2026-03-29T01:00:00Z");
		assertThat(schedule.nextChange(Instant.parse("2026-03-29T01:00:00Z"))).isEqualTo("2026-03-29T02:00:00Z");
		Schedule skipped = weekly(BERLIN, "SUN 02:10-02:50");
		assertThat(skipped.nextChange(Instant.parse("2026-03-23T12:00:00Z"))).as("a week later")
			.isEqualTo("2026-04-05T00:10:00Z");
	}

	@Test
	void hourThatOccursTwiceIsInARangeTwice() {
		// 03:00 is 02:00 again on this Sunday.
		Schedule schedule = weekly(BERLIN, "SUN 02:15-02:45");
		List<String> changes = new ArrayList<>();
		Instant time = Instant.parse("2026-10-24T12:00:00Z");
		for (int i = 0; i < 5; i++) {
			time = Objects.requireNonNull(schedule.nextChange(time));
			changes.add(String.valueOf(time));
		}
		assertThat(changes).containsExactly("2026-10-25T00:15:00Z", "2026-10-25T00:45:00Z", "2026-10-25T01:15:00Z",
				"2026-10-25T01:45:00Z", "2026-11-01T01:15:00Z");
		Schedule across = weekly(BERLIN, "SUN 01:00-02:30");
		assertThat(Stream.of("00:29", "00:30", "00:59", "01:00", "01:29", "01:30")
			.map((utc) -> across.includes(Instant.parse("2026-10-25T" + utc + ":00Z"))))
			.containsExactly(true, false, false, true, true, false);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC" })
	void nextChangeIsTheFirstMinuteThatDiffers(String zone) {
		Random random = new Random(7);
		Instant march = Instant.parse("2026-03-01T00:00:00Z");
		for (int trial = 0; trial < 40; trial++) {
			Schedule times = random(random, ZoneId.of(zone));
			Instant from = march.plus(random.nextInt(300 * 24 * 60), ChronoUnit.MINUTES);
			Instant next = times.nextChange(from);
			boolean now = times.includes(from);
			Instant minute = from;
			Instant end = (next != null) ? next : from.plus(40, ChronoUnit.DAYS);
			while (minute.isBefore(end) && times.includes(minute) == now) {
				minute = minute.plus(1, ChronoUnit.MINUTES);
			}
			assertThat(minute).as(times + " from " + from).isEqualTo(end);
			assertThat(next == null || times.includes(next) != now).as(times + " from " + from).isTrue();
		}
	}

	private static Schedule random(Random random, ZoneId zone) {
		List<TimeRange> ranges = new ArrayList<>();
		for (int i = random.nextInt(3); i > 0; i--) {
			Instant start = Instant.parse("2026-03-01T00:00:00Z")
				.plus(random.nextInt(300 * 24 * 60), ChronoUnit.MINUTES);
			ranges.add(new TimeRange(random.nextInt(4) == 0 ? null : start,
					start.plus(1 + random.nextInt(60 * 24 * 60), ChronoUnit.MINUTES)));
		}
		String[] days = { "", "MON ", "SUN ", "SAT-SUN ", "MON-FRI ", "FRI-TUE " };
		List<WeeklyRange> weekly = new ArrayList<>();
		for (int i = random.nextInt(4); i > 0; i--) {
			weekly.add(WeeklyRange.parse(days[random.nextInt(days.length)] + "%02d:%02d-%02d:%02d"
				.formatted(random.nextInt(5), 5 * random.nextInt(12), random.nextInt(24), 1 + random.nextInt(4))));
		}
		return new Schedule(ranges, weekly, zone);
	}

	@Test
	void rangesAndWeeklyRangesBothApply() {
		Schedule times = new Schedule(
				List.of(range("2026-11-27T12:00/2026-11-28T00:00"), range("2026-12-04T00:00/2026-12-05T00:00")),
				List.of(WeeklyRange.parse("FRI 10:00-14:00")), BERLIN);
		List<String> changes = new ArrayList<>();
		for (Instant time = Instant.parse("2026-01-01T00:00:00Z"); time != null; time = times.nextChange(time)) {
			changes.add(time + " " + times.includes(time));
		}
		assertThat(changes).containsExactly("2026-01-01T00:00:00Z false", "2026-11-27T11:00:00Z true",
				"2026-11-27T13:00:00Z false", "2026-12-04T09:00:00Z true", "2026-12-04T13:00:00Z false");
		assertThat(times.isOver(Instant.parse("2026-12-04T12:59:00Z"))).isFalse();
		assertThat(times.isOver(Instant.parse("2026-12-04T13:00:00Z"))).isTrue();
	}

	@Test
	void openRangeHasOneEnd() {
		Schedule since = new Schedule(List.of(range("2026-12-01T00:00/..")), List.of(), BERLIN);
		assertThat(since.nextChange(Instant.EPOCH)).isEqualTo("2026-11-30T23:00:00Z");
		assertThat(since.nextChange(Instant.parse("2027-01-01T00:00:00Z"))).isNull();
		assertThat(since.isOver(Instant.parse("2027-01-01T00:00:00Z"))).isFalse();
		Schedule until = new Schedule(List.of(range("../2026-12-01T00:00Z")), List.of(), BERLIN);
		assertThat(until.includes(Instant.EPOCH)).isTrue();
		assertThat(until.isOver(Instant.parse("2026-12-01T00:00:00Z"))).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "2026-11-27T00:00:00Z/.., 2026-11-27T00:00:00Z/..",
			"2026-11-27T00:00+05:00/2026-12-01T00:00:00-05:00, 2026-11-26T19:00:00Z/2026-12-01T05:00:00Z",
			"2026-10-25T02:30/.., 2026-10-25T00:30:00Z/..", "2026-03-29T02:30/.., 2026-03-29T01:00:00Z/.." })
	void endsOfARangeHaveAZoneOrTheZoneOfTheRule(String text, String range) {
		assertThat(range(text)).hasToString(range);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "2026-11-27", "2026-11-27/2026-11-28", "../..", "2026-11-27T00:00",
			"2026-11-28T00:00/2026-11-27T00:00", "2026-11-28T00:00/2026-11-28T00:00", "2026-11-28T00:00/x",
			"+12026-11-28T00:00/..", "2026-11-28T00:00/../..", "2026-11-28T25:00/.." })
	void rangeThatIsNotValidIsRejected(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> range(text))
			.withMessageStartingWith("schedule.ranges must");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "MON", "08:00", "8:00-9:00", "08:00-08:00", "08:00-24:01", "24:00-08:00",
			"XXX 08:00-09:00", "MON-XXX 08:00-09:00", "MON-FRI 08:00 - 18:00", "MONDAY 08:00-09:00",
			"MON,TUE 08:00-09:00", "08:00-09:60" })
	void weeklyRangeThatIsNotValidIsRejected(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WeeklyRange.parse(text))
			.withMessage("schedule.weekly must be days and times such as MON-FRI 08:00-18:00, or SAT 22:00-06:00 until "
					+ "the next morning (was '" + text + "')");
	}

	private static Schedule weekly(ZoneId zone, String range) {
		return new Schedule(List.of(), List.of(WeeklyRange.parse(range)), zone);
	}

	private static TimeRange range(String text) {
		return TimeRange.parse(text, BERLIN);
	}

}
