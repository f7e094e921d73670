package io.tierlimit.limit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RateTests {

	@ParameterizedTest
	@CsvSource({ "3/s, 3, PT1S", "7/m, 7, PT1M", "1/3h, 1, PT3H", "50000/s, 50000, PT1S", "1000000/m, 1000000, PT1M",
			"1000/15m, 1000, PT15M", "100/250ms, 100, PT0.25S", "1/d, 1, PT24H", "1/ms, 1, PT0.001S",
			"1000000000000/3650d, 1000000000000, PT87600H", "'10 / 2 s', 10, PT2S", "' 10/s ', 10, PT1S" })
	void readsPermitsPerPeriod(String text, long permits, Duration period) {
		assertThat(Rate.parse(text)).isEqualTo(new Rate(permits, period));
	}

	@Test
	void countsItsPeriodInMicroseconds() {
		assertThat(Rate.parse("100/250ms").periodTicks()).isEqualTo(250_000);
		assertThat(new Rate(1, Duration.of(1, ChronoUnit.MICROS)).periodTicks()).isEqualTo(1);
		assertThat(Rate.parse("1/3650d").periodTicks()).isEqualTo(315_360_000_000_000L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "10", "10/", "/s", "s", "10/5", "10/w", "10/S", "-1/s", "10/-1s", "+1/s", "1.5/s",
			"10/1.5s", "10/1s2m", "10 per s", "10//s", "1_000/s", "1e3/s", "٣/s" })
	void rejectsAnInvalidRateAndShowsTheFormat(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> Rate.parse(text))
			.withMessage("rate must be permits per period with a unit out of ms, s, m, h and d, "
					+ "such as 10/s, 100/m or 1000/15m (was '" + text + "')");
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"', textBlock = """
			0/s; 1 to 1000000000000 permits per period (was 0)
			1000000000001/s; 1 to 1000000000000 permits per period (was 1000000000001)
			9223372036854775807/s; 1 to 1000000000000 permits per period (was 9223372036854775807)
			9223372036854775808/s; numbers of at most 1000000000000 (was '9223372036854775808/s')
			1/9223372036854775808s; numbers of at most 1000000000000 (was '1/9223372036854775808s')
			99999999999999999999999/s; numbers of at most 1000000000000 (was '99999999999999999999999/s')
			1/0s; a period from 1 microsecond to 3650 days (was PT0S)
			1/3651d; a period from 1 microsecond to 3650 days (was PT87624H)
			1/87601h; a period from 1 microsecond to 3650 days (was PT87601H)
			1/315360000001ms; a period from 1 microsecond to 3650 days (was PT87600H0.001S)
			1/9223372036854775807d; a period of at most 3650 days (was '1/9223372036854775807d')
			1/9223372036854775807h; a period of at most 3650 days (was '1/9223372036854775807h')
			1/9223372036854775807m; a period of at most 3650 days (was '1/9223372036854775807m')
			""")
	void rejectsNumbersOutsideOfTheAcceptedRange(String text, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> Rate.parse(text))
			.withMessage("rate must have " + message);
	}

	@ParameterizedTest
	@CsvSource({ "-1, PT1S, 1 to 1000000000000 permits per period (was -1)",
			"1, PT-1S, a period from 1 microsecond to 3650 days (was PT-1S)",
			"1, PT0.0000015S, a period of whole microseconds (was PT0.0000015S)",
			"1, PT0.000000999S, a period from 1 microsecond to 3650 days (was PT0.000000999S)" })
	void rejectsOtherPermitsAndPeriods(long permits, Duration period, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> new Rate(permits, period))
			.withMessage("rate must have " + message);
	}

	@ParameterizedTest
	@CsvSource({ "10/s,10/s", "100/60s,100/m", "1000/15m,1000/15m", "1/24h,1/d", "5/1500ms,5/1500ms", "7/90m,7/90m",
			"1/3650d,1/3650d", "1000000000000/ms,1000000000000/ms" })
	void usesTheLargestUnitThatDividesThePeriod(String text, String written) {
		assertThat(Rate.parse(text)).hasToString(written);
		assertThat(Rate.parse(written)).isEqualTo(Rate.parse(text));
	}

	@Test
	void periodThatNoUnitDividesHasTheFormatOfADuration() {
		assertThat(new Rate(1, Duration.ofNanos(1_500_000))).hasToString("1/PT0.0015S");
	}

}
